/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs work on that do things with many addresses:
 *
 *   load LIST COUNT LENGTH FILE    packed addresses: list 0, or list 1 to exchange them for
 *   order COUNT FILE               positions in random order, 32 bits each
 */
static size_t count, length;
static unsigned char *lists[2];
static uint32_t *order;

static inline void *read_file(const char *name, size_t bytes)
{
	FILE *file = fopen(name, "rb");
	void *memory = need(malloc(bytes ? bytes : 1));

	if (!file)
		fail_plain("cannot open the file");
	if (fread(memory, 1, bytes, file) != bytes)
		fail_plain("the file is too short");
	fclose(file);
	return memory;
}

static inline void load_list(int list, size_t new_count, size_t new_length, const char *name)
{
	free(lists[list]);
	lists[list] = read_file(name, new_count * new_length);
	if (list == 0) {
		count = new_count;
		length = new_length;
	}
}

static inline void load_order(size_t new_count, const char *name)
{
	if (new_count != count)
		fail_plain("the order has another length than list 0");
	free(order);
	order = read_file(name, count * sizeof *order);
}

static inline void ok(uint64_t number)
{
	printf("ok %" PRIu64 "\n", number);
}
