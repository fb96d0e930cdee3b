/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer with one memory region, which reads and writes those of others. See peer.h.
 *
 *   fill ADDRESS SIZE CONTENT                                            filled
 *   check ADDRESS SIZE CONTENT                                           same
 *   write NUMBER HANDLE SIZE ADDRESS KEY [data=D] [inject] [delivered] [committed] [places=P]
 *                                                                        posted
 *   read NUMBER HANDLE SIZE ADDRESS KEY [pieces=P]                       posted
 *   await NUMBER [content=C]
 *       written
 *       read
 *       failed ERRNO
 *   notice                                   noticed DATA FLAGS, both in hexadecimal, when it came
 *
 * fill and check are about its own region. A write has the content of its number, goes to as many
 * places in a row as it says, and is overwritten at once if it is injected. `await` of a read
 * compares with content C, or with that of the same number. Arguments: node, size and key of the
 * region.
 */
#include "peer.h"

#define MOST_PIECES 4
#define MOST_NOTICES 64

static char *memory;
static size_t size;
static struct fi_cq_tagged_entry notices[MOST_NOTICES];
static unsigned int noticed, told;

static void notice(const struct fi_cq_tagged_entry *completion)
{
	if (!(completion->flags & FI_REMOTE_WRITE))
		fail("a completion without operation, flags %" PRIx64, completion->flags);
	if (noticed - told == MOST_NOTICES)
		fail("too many notices");
	notices[noticed++ % MOST_NOTICES] = *completion;
}

static void tell_notice(void)
{
	double end = seconds() + PATIENCE_SECONDS;

	while (noticed == told) {
		if (!progress() && seconds() > end)
			fail("nobody writes");
	}
	struct fi_cq_tagged_entry *next = &notices[told++ % MOST_NOTICES];
	answer("noticed %" PRIx64 " %" PRIx64, next->data, next->flags);
}

static char *own(uint64_t address, uint64_t length)
{
	if (address > size || length > size - address)
		fail("the region has %zu bytes", size);
	return memory + address;
}

/* A place in a row of as many, of the memory at an address. */
static size_t edge(size_t whole, uint64_t part, uint64_t parts)
{
	return whole * part / parts;
}

static void write_there(void)
{
	struct operation *written = operation(number_at(1), number_at(3));
	fi_addr_t handle = number_at(2);
	uint64_t address = number_at(4), key = number_at(5), data = 0, places = 1;
	bool has_data = has_number("data", &data);
	struct iovec local = {written->memory, written->size};
	struct fi_rma_iov remote[MOST_PIECES];

	if (has_number("places", &places) && (places < 1 || places > MOST_PIECES))
		fail("between 1 and %d places", MOST_PIECES);
	fill(written->memory, written->size, written->number, 0);
	if (has_word("inject")) {
		if (has_data)
			POST(fi_inject_writedata(endpoint, written->memory, written->size, data, handle,
						 address, key));
		else
			POST(fi_inject_write(endpoint, written->memory, written->size, handle, address,
					     key));
		memset(written->memory, 0x55, written->size);
		written->completion.flags = FI_WRITE;
		written->ended = true;
	} else {
		uint64_t flags = FI_COMPLETION | (has_data ? FI_REMOTE_CQ_DATA : 0) |
				 (has_word("delivered") ? FI_DELIVERY_COMPLETE : 0) |
				 (has_word("committed") ? FI_COMMIT_COMPLETE : 0);
		for (uint64_t i = 0; i < places; i++) {
			size_t from = edge(written->size, i, places);

			remote[i] = (struct fi_rma_iov) {address + from,
				edge(written->size, i + 1, places) - from, key};
		}
		struct fi_msg_rma message = {.msg_iov = &local, .iov_count = 1, .addr = handle,
			.rma_iov = remote, .rma_iov_count = places, .context = written, .data = data};
		POST(fi_writemsg(endpoint, &message, flags));
	}
	answer("posted");
}

static void read_there(void)
{
	struct operation *gotten = operation(number_at(1), number_at(3));
	fi_addr_t handle = number_at(2);
	uint64_t address = number_at(4), key = number_at(5), pieces = 1;
	struct iovec vectors[MOST_PIECES];

	if (has_number("pieces", &pieces) && (pieces < 1 || pieces > MOST_PIECES))
		fail("between 1 and %d pieces", MOST_PIECES);
	for (uint64_t i = 0; i < pieces; i++) {
		size_t from = edge(gotten->size, i, pieces);

		vectors[i] = (struct iovec) {gotten->memory + from,
			edge(gotten->size, i + 1, pieces) - from};
	}
	if (pieces > 1)
		POST(fi_readv(endpoint, vectors, NULL, pieces, handle, address, key, gotten));
	else
		POST(fi_read(endpoint, gotten->memory, gotten->size, NULL, handle, address, key,
			     gotten));
	answer("posted");
}

static void await_access(void)
{
	struct operation *awaited = find_operation(number_at(1));
	uint64_t content = awaited->number;

	await(awaited);
	if (awaited->error) {
		/* What is still on its way may be written there: the memory stays. */
		answer("failed %d", awaited->error);
		return;
	}
	if (awaited->completion.flags & FI_WRITE) {
		answer("written");
	} else {
		has_number("content", &content);
		verify(awaited->memory, awaited->size, content, 0);
		answer("read");
	}
	munmap(awaited->memory, awaited->size + 1);
	awaited->memory = NULL;
}

int main(int count, char **arguments)
{
	if (count != 4) {
		fprintf(stderr, "usage: remote-access NODE SIZE KEY\n");
		return 1;
	}
	size = strtoull(arguments[2], NULL, 0);
	memory = pages(size);
	unsolicited = notice;
	open_peer(arguments[1], FI_MSG | FI_TAGGED | FI_RMA);
	checked(fi_mr_reg(domain, memory, size, FI_REMOTE_READ | FI_REMOTE_WRITE, 0,
			  strtoull(arguments[3], NULL, 0), 0, &region, NULL),
		"fi_mr_reg");
	while (next_command()) {
		if (!strcmp(words[0], "fill")) {
			fill(own(number_at(1), number_at(2)), number_at(2), number_at(3), 0);
			answer("filled");
		} else if (!strcmp(words[0], "check")) {
			verify(own(number_at(1), number_at(2)), number_at(2), number_at(3), 0);
			answer("same");
		} else if (!strcmp(words[0], "write")) {
			write_there();
		} else if (!strcmp(words[0], "read")) {
			read_there();
		} else if (!strcmp(words[0], "await")) {
			await_access();
		} else if (!strcmp(words[0], "notice")) {
			tell_notice();
		} else {
			fail("no such command");
		}
	}
	return 0;
}
