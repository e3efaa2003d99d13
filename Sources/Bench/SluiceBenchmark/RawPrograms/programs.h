#ifndef SLUICE_RAW_PROGRAMS_H
#define SLUICE_RAW_PROGRAMS_H

// Whole programs that the benchmark compares Sluice's with; each gives its exit code.

int raw_console(long how_many);
int raw_version(void);
int raw_make(const char *path);
int raw_enqueue(const char *path, const char *queue, const char *payload);
int raw_queues(const char *path);

#endif
