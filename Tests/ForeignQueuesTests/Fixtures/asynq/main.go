// Writes what Asynq's own client, inspector and server leave: ADDRESS SCENARIO. make_asynq.py dumps it.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/hibiken/asynq"
)

const far = 4_000_000_000

func main() {
	options := asynq.RedisClientOpt{Addr: os.Args[1]}
	switch os.Args[2] {
	case "work":
		work(options)
	case "pause":
		if err := asynq.NewInspector(options).PauseQueue("mail"); err != nil {
			log.Fatal(err)
		}
	default:
		client := asynq.NewClient(options)
		send(client, os.Args[2])
		if err := client.Close(); err != nil {
			log.Fatal(err)
		}
	}
}

func send(client *asynq.Client, scenario string) {
	push := func(id string, payload []byte, more ...asynq.Option) {
		options := append([]asynq.Option{
			asynq.Queue("mail"), asynq.TaskID(id), asynq.MaxRetry(3),
		}, more...)
		if _, err := client.Enqueue(asynq.NewTask("email:send", payload), options...); err != nil {
			log.Fatal(err)
		}
	}
	switch scenario {
	case "ended":
		push("again", []byte(`{"do":"retry"}`))
		push("dead", []byte(`{"do":"archive"}`))
		push("done", []byte(`{}`), asynq.Retention(24*365*100*time.Hour))
	case "long":
		push("run", []byte(`{"do":"wait"}`))
	case "waiting":
		for _, id := range []string{"a", "b", "c"} {
			push(id, []byte(`{}`))
		}
		push("later", []byte(`{}`), asynq.ProcessAt(time.Unix(far, 0)))
	case "payloads":
		// The message {1: "kim", 2: bytes} as protoc's programs write it.
		message, _ := base64.StdEncoding.DecodeString("CgNraW0SAf8=")
		push("json", []byte(`{"to":"kim"}`))
		push("proto", message)
		push("bad", []byte(`{}`))
		push("lost", []byte(`{}`))
	default:
		log.Fatalf("no scenario %s", scenario)
	}
}

func work(options asynq.RedisClientOpt) {
	server := asynq.NewServer(options, asynq.Config{
		Concurrency: 10,
		Queues:      map[string]int{"mail": 3, "low": 1},
		LogLevel:    asynq.FatalLevel,
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration {
			return time.Until(time.Unix(far+1, 500_000_000))
		},
	})
	handler := func(ctx context.Context, task *asynq.Task) error {
		switch string(task.Payload()) {
		case `{"do":"retry"}`:
			return errors.New("smtp: refused")
		case `{"do":"archive"}`:
			return fmt.Errorf("no such address: %w", asynq.SkipRetry)
		case `{"do":"wait"}`:
			time.Sleep(time.Hour)
		}
		return nil
	}
	if err := server.Run(asynq.HandlerFunc(handler)); err != nil {
		log.Fatal(err)
	}
}
