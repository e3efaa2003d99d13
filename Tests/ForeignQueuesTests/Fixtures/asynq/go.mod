module fixtures

go 1.24.0

require github.com/hibiken/asynq v0.26.0
