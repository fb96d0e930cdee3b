/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the entries of a named vector, without a lock, whoever changes them meanwhile.
 *
 *   named-vector FILE.control [TIMES]
 *
 *   17 10.0.0.1:1000                            IPv4
 *   18 [2001:db8:0:0:0:0:0:1]:1000 scope 3 flow 0x7    IPv6; scope and flow label unless 0
 *   19 text "fi_sockaddr_in://10.0.0.1:1000"    a spelling
 *   20 opaque 5: 0011223344...                  format, bytes
 *   21 wide 11: 0011223344...                   format, bytes
 *   22 10.0.0.1:1000 under key 3                any of these, and the number of its key
 *   end 5                                       so many; then the same once more, TIMES times
 *
 * All that it knows is in docs/internals/files.md; sections of that page are named in brackets. It is
 * no participant: it keeps nobody from removing the files, and refuses a vector that nobody has.
 * Every load is an acquire, so all of them happen in the order in which they stand here.
 */
#include "vector-file.h"

#define MOST_LOOKS (1 << 24)
#define SIDE (UINT64_C(1) << 61)
#define AGAIN (-1)

static void looked(uint32_t *looks)
{
	if (++*looks == MOST_LOOKS)
		fail("never stays the same: it is damaged");
}

/* ---- Slots [Slots] ---- */

static uint64_t slot_position(uint32_t index)
{
	const uint64_t *area = file.slots[index / 4096];
	uint64_t slots = area == NULL ? 0 : area[index / 64 % 64];

	return slots == 0 ? 0 : slots + file.slot_bytes * (index % 64);
}

/* The word of an index; its page may have come meanwhile. */
static uint64_t slot(uint32_t index)
{
	uint64_t position = slot_position(index);

	if (position == 0) {
		follow();
		position = slot_position(index);
	}
	return position == 0 ? 0 : u64(at(position, 8));
}

/* ---- Addresses [Slots, Address records] ---- */

static char line[16384];

static void say_ipv4(uint32_t address, uint32_t port)
{
	sprintf(line, "%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32 ":%" PRIu32, address >> 24,
		address >> 16 & 255, address >> 8 & 255, address & 255, port);
}

static void say_ipv6(uint64_t high, uint64_t low, uint32_t port, uint32_t scope, uint32_t flow)
{
	char *end = line;

	for (int i = 0; i < 8; i++)
		end += sprintf(end, "%c%x", i == 0 ? '[' : ':',
			       (unsigned)((i < 4 ? high : low) >> (48 - 16 * (i % 4)) & 0xFFFF));
	end += sprintf(end, "]:%" PRIu32, port);
	if (scope != 0)
		end += sprintf(end, " scope %" PRIu32, scope);
	if (flow != 0)
		sprintf(end, " flow 0x%" PRIx32, flow);
}

static bool little_endian(void)
{
	const uint16_t one = 1;

	return *(const uint8_t *)&one == 1;
}

static uint64_t big_endian(memory from, int bytes)
{
	uint64_t number = 0;

	for (int i = 0; i < bytes; i++)
		number = number << 8 | u8(from + i);
	return number;
}

/* Reads what a record has; false if it is not one, as it is being written. */
static bool say_record(memory record, uint32_t size_class, uint32_t size)
{
	if (size_class <= 1) {
		say_ipv6(big_endian(record + 8, 8), big_endian(record + 16, 8), big_endian(record + 6, 2),
			 size_class == 1 ? u32(record + 28) : 0, size_class == 1 ? u32(record + 24) : 0);
		return true;
	}
	uint64_t head = u64(record + 16);
	uint32_t kind = head & 255, format = head >> 8 & 127, words = head >> 24 & 255, bytes = head >> 32;
	uint32_t counting = head >> 16 & 255, begin = 24 + 8 * words;
	uint64_t word[8] = {0}, key = 0;
	if (words > 8 || counting > words || bytes > 4100 || begin + bytes > size)
		return false;
	for (uint32_t i = 0; i < words; i++)
		word[i] = u64(record + 24 + 8 * i);
	if (kind == 6 && counting > 0) {
		key = word[counting - 1];
		for (uint32_t i = counting--; i < words; i++)
			word[i - 1] = word[i];
		words--;
		kind = bytes > 0 ? 4 : format == 2 ? 1 : format == 3 ? 2 : 3;
	} else if (kind == 6) {
		if (bytes < 4)
			return false;
		bytes -= 4;
		for (int i = 3; i >= 0; i--)	/* in the order of the machine, at any place */
			key = key << 8 | u8(record + begin + bytes + (little_endian() ? i : 3 - i));
		kind = 5;
	}
	bool keyed = (head & 255) == 6;
	char *end = line;
	if (kind == 1) {
		say_ipv4(word[0] >> 16 & UINT32_MAX, word[0] & 0xFFFF);
	} else if (kind == 2) {
		say_ipv6(word[0], word[1], word[2] & 0xFFFF, word[2] >> 32, (uint32_t)word[3]);
	} else if (kind == 4) {
		end += sprintf(end, "text \"");
		for (uint32_t i = 0; i < bytes; i++)
			*end++ = (char)u8(record + begin + i);
		strcpy(end, "\"");
	} else {
		end += sprintf(end, "%s %" PRIu32 ": ", kind == 3 ? "wide" : "opaque", format);
		for (uint32_t i = 0; i < words; i++)
			end += sprintf(end, "%016" PRIx64, word[i]);
		for (uint32_t i = 0; i < bytes; i++)
			end += sprintf(end, "%02x", u8(record + begin + i));
	}
	if (keyed)
		sprintf(strchr(line, 0), " under key %" PRIu64, key);
	return true;
}

/* The entry of a slot: 1, 0 if there is none, AGAIN if it became another one meanwhile. */
static int slot_entry(uint32_t index, uint64_t word)
{
	static const uint16_t sizes[] = {24, 32, 48, 64, 96, 128, 192, 256,
					 384, 512, 768, 1024, 1536, 2048, 3072, 6144};

	if (word >> 62 == 2) {
		say_ipv4(word >> 16 & UINT32_MAX, word & 0xFFFF);
		return 1;
	}
	if (word >> 62 != 3)
		return 0;
	uint32_t size_class = word >> 44 & 15, in_unit = (word & 7) * 8;
	uint32_t size = sizes[size_class];
	bool in_slot = file.slot_bytes == 32 && (word & UINT64_C(0xFFFFFFFFFFFF)) == 0;
	memory record = in_slot ? at(slot_position(index) + 8, size)
		: unit((word & UINT64_C(0x1FFFFFFFF)) / 8, in_unit + size) + in_unit;
	dawdle();
	uint32_t version = u32(record);
	dawdle();
	bool whole = version % 2 == 0 && say_record(record, size_class, size);
	return ((slot(index) ^ word) & ~SIDE) != 0 || u32(record) != version ? AGAIN : whole;
}

/* ---- Runs [Runs] ---- */

#define MOST_RUNS 4096

/*
 * All runs, and how many there are, by the word that leads to them; NULL if there are none, or the
 * word has changed. What is read of them is void unless the word is still the same after that.
 */
static memory all_runs(uint64_t word, uint32_t *count)
{
	uint32_t number = word & 0x7FFFFFFF;

	*count = number == 0 ? 0 : u32(unit(number, 8));
	if (*count == 0 || u64(root() + 624) != word)
		return NULL;
	if (*count > MOST_RUNS)
		fail("has too many runs");
	return unit(number, 8 + 64 * *count) + 8;
}

/* The run that covers an index, or NULL; void as above. */
static memory run_of(uint64_t word, uint32_t index)
{
	uint32_t count, from = 0;
	memory runs = all_runs(word, &count);

	if (runs == NULL)
		return NULL;
	while (count > 1) {
		uint32_t half = count / 2;

		if (u32(runs + 64 * (from + half)) <= index)
			from += half;
		count -= half;
	}
	memory run = runs + 64 * from;
	return index >= u32(run) && index - u32(run) < u32(run + 4) ? run : NULL;
}

/* The address that a run gives an index. */
static void say_of_run(memory run, uint32_t index)
{
	uint64_t inner = u32(run + 8), position = (uint64_t)u32(run + 12) + index - u32(run);
	uint32_t flags = u32(run + 40);
	bool ipv6 = flags >> 16 & 1, ports_first = flags >> 24 & 1;

	if (inner == 0)
		return;		/* it is no run any more */
	int64_t column = position % inner, row = position / inner;
	int64_t nodes = (ports_first ? row : column) * (int32_t)u32(run + 16);
	int64_t ports = (ports_first ? column : row) * (int32_t)u32(run + 20);
	uint64_t node = u64(run + 24) + (uint64_t)nodes;
	uint32_t port = (flags & 0xFFFF) + (uint32_t)ports;
	if (ipv6)
		say_ipv6(u64(run + 32), node, port & 0xFFFF, u32(run + 44), 0);
	else
		say_ipv4((uint32_t)node, port & 0xFFFF);
}

/* What an index is [Looking up an index]: fills the line if there is an entry. */
static bool entry(uint32_t index)
{
	for (uint32_t looks = 0;; looked(&looks)) {
		uint64_t word = slot(index);

		if (word != 0) {
			int found = slot_entry(index, word);

			if (found != AGAIN)
				return found;
			continue;
		}
		uint64_t runs = u64(root() + 624);
		dawdle();
		memory run = run_of(runs, index);
		bool live = run != NULL;

		if (live)
			say_of_run(run, index);
		dawdle();
		if (slot(index) == 0 && u64(root() + 624) == runs)
			return live;
	}
}

/* An index behind all that may have entries now: by slots and runs. */
static uint64_t end_of_indices(void)
{
	uint64_t word, behind = 0, end;

	do {
		uint32_t count;

		word = u64(root() + 624);
		memory runs = all_runs(word, &count);
		memory last = runs == NULL ? NULL : runs + 64 * (count - 1);
		behind = last == NULL ? 0 : (uint64_t)u32(last) + u32(last + 4);
	} while (u64(root() + 624) != word);
	follow();
	end = file.end > behind ? file.end : behind;
	return end < INT32_MAX ? end : INT32_MAX;
}

int main(int count, char **arguments)
{
	size_t length = count < 2 ? 0 : strlen(arguments[1]);
	long times = count < 3 ? 1 : strtol(arguments[2], NULL, 10);

	if (length < 8 || strcmp(arguments[1] + length - 8, ".control") != 0) {
		fprintf(stderr, "usage: named-vector FILE.control [TIMES]\n");
		return 2;
	}
	control_path = arguments[1];
	open_control();
	open_entries();
	while (times-- > 0) {
		uint64_t entries = 0;

		for (uint64_t index = 0, end = end_of_indices(); index < end; index++) {
			if (entry((uint32_t)index)) {
				printf("%" PRIu64 " %s\n", index, line);
				entries++;
			}
		}
		printf("end %" PRIu64 "\n", entries);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
