#include "raw_loop.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "steps.h"

// Numbers that wait for a commit, and who brought them.
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t arrival;
    int64_t left, next;
    int waiting, failed;
    sem_t **who;
} desk;

typedef struct {
    desk *at;
    sem_t told;
    pthread_t thread;
} producer;

static void *produce(void *argument) {
    producer *self = argument;
    desk *at = self->at;
    for (;;) {
        pthread_mutex_lock(&at->lock);
        int is_over = at->left == 0 || at->failed;
        if (!is_over) {
            at->left--;
            at->who[at->waiting++] = &self->told;
            pthread_cond_signal(&at->arrival);
        }
        pthread_mutex_unlock(&at->lock);
        if (is_over) return NULL;
        while (sem_wait(&self->told)) {}
    }
}

// Commits waiting numbers until all have come, and wakes their threads.
static void serve(raw_loop *loop, const prepared *step, desk *at, int64_t count, sem_t **batch,
    const void *payload, int bytes) {
    while (at->next < count && !at->failed) {
        pthread_mutex_lock(&at->lock);
        while (at->waiting == 0) pthread_cond_wait(&at->arrival, &at->lock);
        int taken = at->waiting;
        for (int i = 0; i < taken; i++) batch[i] = at->who[i];
        at->waiting = 0;
        pthread_mutex_unlock(&at->lock);
        int failed = raw_run(loop->begin);
        for (int i = 0; i < taken && !failed; i++)
            failed = raw_run_all(step, 0, ++at->next, payload, bytes);
        if (!failed) failed = raw_run(loop->commit);
        pthread_mutex_lock(&at->lock);
        at->failed = failed;
        pthread_mutex_unlock(&at->lock);
        for (int i = 0; i < taken; i++) sem_post(batch[i]);
    }
}

int64_t raw_loop_insert_by_threads(
    raw_loop *loop, raw_step step, int threads, int64_t count, const void *payload, int bytes) {
    prepared made;
    if (raw_prepare(loop, step, &made)) return -1;
    desk at = {.left = count};
    pthread_mutex_init(&at.lock, NULL);
    pthread_cond_init(&at.arrival, NULL);
    producer *producers = calloc((size_t)threads, sizeof *producers);
    sem_t **places = calloc((size_t)threads * 2, sizeof *places);
    int begun = 0;
    int64_t start = raw_nanoseconds();
    if (producers && places) {
        at.who = places;
        for (; begun < threads; begun++) {
            producers[begun].at = &at;
            sem_init(&producers[begun].told, 0, 0);
            if (pthread_create(&producers[begun].thread, NULL, produce, &producers[begun])) break;
        }
        if (begun > 0) serve(loop, &made, &at, count, places + threads, payload, bytes);
    }
    for (int i = 0; i < begun; i++) pthread_join(producers[i].thread, NULL);
    int64_t end = raw_nanoseconds();
    for (int i = 0; i < begun; i++) sem_destroy(&producers[i].told);
    free(producers);
    free(places);
    raw_finish(&made);
    return begun < threads || at.failed ? -1 : end - start;
}
