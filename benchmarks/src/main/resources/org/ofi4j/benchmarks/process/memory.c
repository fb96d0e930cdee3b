/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times what memory alone takes: the loads and stores that no address vector of this shape can do
 * without, and nothing else. It takes most commands of address-vector.c, and answers them likewise.
 * Scattered addresses go to
 *
 *   slots   8 bytes for each, in the order of insertion
 *   cells   4 bytes, 21 for 16 addresses, at random: one of them leads to each slot
 *
 * while consecutive ones leave nothing but their handles.
 *
 *   find COUNT            so many addresses in random order: the cell, then the slot    ok nanos
 *   find-in-turn COUNT    the same, each when the one before has its slot               ok nanos
 */
#include "program.h"
#include "lists.h"

/* Of the square root of 2, and of half of it. */
#define A_STEP 0.70710678
#define HALF_A_STEP 0.84089642
#define LEAST_MOVED 4096
#define MOST_STEPS 64

static uint64_t *slots, *handles, *ordered;
static uint32_t *cells;
static int are_consecutive;

/* Its first 8 bytes. They begin with the family, an even number, so the lowest bit is 0. */
static uint64_t address(const unsigned char *list, size_t i)
{
	uint64_t word;

	memcpy(&word, list + i * length, sizeof word);
	return word;
}

/* The node of an IPv4 address. */
static uint32_t node(size_t i)
{
	const unsigned char *bytes = lists[0] + i * length + 4;

	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void close_table(void)
{
	free(slots);
	free(cells);
	slots = NULL;
	cells = NULL;
}

static void load(int list, size_t new_count, size_t new_length, const char *name)
{
	size_t i;

	close_table();
	load_list(list, new_count, new_length, name);
	if (list)
		return;
	are_consecutive = count > 1;
	for (i = 1; i < count && are_consecutive; i++)
		are_consecutive = node(i) == node(i - 1) + 1;
	free(handles);
	free(ordered);
	handles = need(malloc((count + 1) * sizeof *handles));
	ordered = need(malloc((count + 1) * sizeof *ordered));
	memset(handles, 0xff, (count + 1) * sizeof *handles);
	memset(ordered, 0xff, (count + 1) * sizeof *ordered);
}

static size_t cells_for(size_t entries)
{
	return entries * 21 / 16 + 1;
}

/* What a number below count is multiplied with to be one below that, with 32 bits behind the point. */
static uint64_t scale(size_t below)
{
	return ((uint64_t)below << 32) / count;
}

/* Fills slots, and of so many cells one for each, at random. */
static void fill(size_t from, size_t to, size_t among)
{
	uint64_t place = scale(among);
	size_t i;

	for (i = from; i < to; i++) {
		uint32_t *cell = &cells[order[i] * place >> 32], number = order[count - 1 - i];

		*cell = *cell > number ? *cell : number;
		slots[i] = address(lists[0], i);
		handles[i] = i;
	}
}

/* Looks at the slot of so many cells, at random, and writes all cells, in order. */
static void move(size_t entries)
{
	uint64_t place = scale(entries);
	size_t i;

	for (i = 0; i < entries; i++)
		cells[i] += (uint32_t)(slots[order[i] * place >> 32] & 1);
}

static void fill_consecutive(void)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		sum += address(lists[0], i);
		handles[i] = i;
	}
	if (!sum)
		fail_plain("inserted nothing");
}

/*
 * While a table grows without a hint, by steps of the square root of 2, each cell moves some three
 * times. On average the last step was half a step ago.
 */
static void grow(void)
{
	size_t sizes[MOST_STEPS], done = 0;
	double size = (double)count * HALF_A_STEP;
	int steps = 0;

	for (; size >= LEAST_MOVED && steps < MOST_STEPS; size *= A_STEP)
		sizes[steps++] = (size_t)size;
	while (steps > 0) {
		size_t next = sizes[--steps];

		fill(done, next, cells_for(next));
		move(next);
		done = next;
	}
	fill(done, count, cells_for(count));
}

static uint64_t insert(size_t hint)
{
	uint64_t begin;

	close_table();
	if (!order)
		fail_plain("no order was loaded");
	begin = now();
	if (are_consecutive) {
		fill_consecutive();
	} else {
		slots = need(calloc(count, sizeof *slots));
		cells = need(calloc(cells_for(count), sizeof *cells));
		if (hint)
			fill(0, count, cells_for(count));
		else
			grow();
	}
	return now() - begin;
}

/* Nothing but handles, as when addresses are consecutive. */
static uint64_t insert_symmetric(size_t entries)
{
	uint64_t *answers = need(malloc(entries * sizeof *answers)), begin, nanos;
	size_t i;

	memset(answers, 0xff, entries * sizeof *answers);
	begin = now();
	for (i = 0; i < entries; i++)
		answers[i] = i;
	nanos = now() - begin;
	if (answers[order[0] % entries] >= entries)
		fail_plain("no handles");
	free(answers);
	return nanos;
}

static void put_in_order(void)
{
	size_t i;

	for (i = 0; i < count; i++)
		ordered[i] = handles[order[i]];
}

static uint64_t look_up(uint64_t *total)
{
	uint64_t begin = 0, nanos = 0, sum = 0;
	size_t i;
	int pass;

	put_in_order();
	for (pass = 0; pass < 2; pass++) {
		sum = 0;
		begin = now();
		for (i = 0; i < count; i++)
			sum += slots[ordered[i]];
		nanos = now() - begin;
	}
	*total = sum;
	return nanos;
}

static uint64_t find_some(size_t first, size_t some)
{
	uint64_t place = scale(cells_for(count)), begin = now(), sum = 0, nanos;
	size_t i;

	for (i = first; i < first + some; i++)
		sum += slots[cells[order[i] * place >> 32]] + address(lists[0], i);
	nanos = now() - begin;
	if (!sum)
		fail_plain("found nothing");
	return nanos;
}

/* Others come first, which find the caches full of other things. */
static uint64_t find(size_t some)
{
	size_t before = count / 8;

	find_some(count - before, before);
	return find_some(0, some);
}

/* A slot is 0 in the lowest bit, which the compiler does not know. */
static uint64_t find_in_turn(size_t some)
{
	uint64_t place = scale(cells_for(count)), begin = now(), slot = 0, nanos;
	size_t i;

	for (i = 0; i < some; i++)
		slot = slots[cells[(order[i] * place >> 32) + (slot & 1)]];
	nanos = now() - begin;
	if (slot & 1)
		fail_plain("the lowest bit of a slot is set");
	return nanos;
}

static uint64_t remove_all(const uint64_t *which)
{
	uint64_t begin = now(), nanos, left = 0;
	size_t i;

	for (i = 0; i < count; i++)
		slots[which[i]] &= 1;
	nanos = now() - begin;
	for (i = 0; i < count; i++)
		left += slots[i];
	if (left)
		fail_plain("slots are left");
	return nanos;
}

static void need_table(void)
{
	if (!slots)
		fail_plain("nothing was inserted that takes slots");
}

static void obey(char *line)
{
	char name[4096], service[64];
	size_t a, b;
	int list;
	uint64_t nanos, sum;

	if (sscanf(line, "load %d %zu %zu %4095[^\n]", &list, &a, &b, name) == 4 && (list == 0 || list == 1)) {
		load(list, a, b, name);
		printf("ok memory\n");
	} else if (sscanf(line, "order %zu %4095[^\n]", &a, name) == 2) {
		load_order(a, name);
		ok(a);
	} else if (sscanf(line, "insert %zu", &a) == 1) {
		ok(insert(a));
	} else if (sscanf(line, "insert-symmetric %4095s %zu %63s %zu", name, &a, service, &b) == 4) {
		ok(insert_symmetric(a * b));
	} else if (!strcmp(line, "lookup\n")) {
		need_table();
		nanos = look_up(&sum);
		printf("ok %" PRIu64 " %" PRIu64 "\n", nanos, sum);
	} else if (sscanf(line, "find %zu", &a) == 1 && a <= count) {
		need_table();
		ok(find(a));
	} else if (sscanf(line, "find-in-turn %zu", &a) == 1 && a <= count) {
		need_table();
		ok(find_in_turn(a));
	} else if (!strcmp(line, "remove\n")) {
		need_table();
		ok(remove_all(handles));
	} else if (!strcmp(line, "remove-randomly\n")) {
		need_table();
		put_in_order();
		ok(remove_all(ordered));
	} else if (!strcmp(line, "close\n")) {
		close_table();
		ok(0);
	} else {
		fail_plain("unknown command");
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[8192];

	if (argc != 2) {
		fprintf(stderr, "usage: %s wall|cpu\n", argv[0]);
		return 2;
	}
	if (!strcmp(argv[1], "cpu"))
		time_source = CLOCK_THREAD_CPUTIME_ID;
	printf("ok memory\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		obey(line);
	return 0;
}
