/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all programs of the benchmarks have: they answer each line of standard input with "ok" and
 * what is asked for, or with "error" and the reason, and end then.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static clockid_t time_source = CLOCK_MONOTONIC;

static inline uint64_t now(void)
{
	struct timespec t;

	clock_gettime(time_source, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void fail_plain(const char *what)
{
	printf("error %s\n", what);
	fflush(stdout);
	exit(1);
}

static inline void *need(void *memory)
{
	if (!memory)
		fail_plain("no memory");
	return memory;
}
