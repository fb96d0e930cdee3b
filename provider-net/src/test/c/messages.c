/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer that sends and receives messages, and checks every byte that it gets. See peer.h.
 *
 *   send NUMBER HANDLE SIZE [tag=T] [data=D] [inject] [delivered] [pieces=P]   posted
 *   receive NUMBER SIZE [tag=T] [ignore=I] [from=HANDLE]                       posted
 *   await NUMBER [content=C]
 *       sent
 *       received LENGTH FLAGS DATA TAG SOURCE, all but length and source in hexadecimal
 *       failed ERRNO LENGTH
 *
 * A message has the content of its number. `await` of a receive compares with content C, or with
 * that of the same number. An injected message is overwritten as soon as the call has returned.
 */
#include "peer.h"

#define MOST_PIECES 4

static void send_message(void)
{
	struct operation *sent = operation(number_at(1), number_at(3));
	fi_addr_t handle = number_at(2);
	uint64_t tag = 0, data = 0, pieces = 1;
	bool is_tagged = has_number("tag", &tag);
	bool has_data = has_number("data", &data);
	struct iovec vectors[MOST_PIECES];
	void *at = sent->memory;

	if (has_number("pieces", &pieces) && (pieces < 1 || pieces > MOST_PIECES))
		fail("between 1 and %d pieces", MOST_PIECES);
	fill(sent->memory, sent->size, sent->number, 0);
	if (has_word("inject")) {
		if (is_tagged && has_data)
			POST(fi_tinjectdata(endpoint, at, sent->size, data, handle, tag));
		else if (is_tagged)
			POST(fi_tinject(endpoint, at, sent->size, handle, tag));
		else if (has_data)
			POST(fi_injectdata(endpoint, at, sent->size, data, handle));
		else
			POST(fi_inject(endpoint, at, sent->size, handle));
		memset(sent->memory, 0x55, sent->size);
		sent->completion.flags = FI_SEND;
		sent->ended = true;
	} else if (has_word("delivered") || pieces > 1) {
		uint64_t flags = FI_COMPLETION | (has_data ? FI_REMOTE_CQ_DATA : 0) |
				 (has_word("delivered") ? FI_DELIVERY_COMPLETE : 0);
		for (uint64_t i = 0; i < pieces; i++) {
			size_t from = sent->size * i / pieces, to = sent->size * (i + 1) / pieces;

			vectors[i] = (struct iovec) {sent->memory + from, to - from};
		}
		if (is_tagged) {
			struct fi_msg_tagged message = {.msg_iov = vectors, .iov_count = pieces,
				.addr = handle, .tag = tag, .context = sent, .data = data};

			POST(fi_tsendmsg(endpoint, &message, flags));
		} else {
			struct fi_msg message = {.msg_iov = vectors, .iov_count = pieces, .addr = handle,
				.context = sent, .data = data};

			POST(fi_sendmsg(endpoint, &message, flags));
		}
	} else if (is_tagged && has_data) {
		POST(fi_tsenddata(endpoint, at, sent->size, NULL, data, handle, tag, sent));
	} else if (is_tagged) {
		POST(fi_tsend(endpoint, at, sent->size, NULL, handle, tag, sent));
	} else if (has_data) {
		POST(fi_senddata(endpoint, at, sent->size, NULL, data, handle, sent));
	} else {
		POST(fi_send(endpoint, at, sent->size, NULL, handle, sent));
	}
	answer("posted");
}

static void receive_message(void)
{
	struct operation *received = operation(number_at(1), number_at(2));
	uint64_t tag = 0, ignore = 0, from = FI_ADDR_UNSPEC;

	has_number("from", &from);
	has_number("ignore", &ignore);
	if (has_number("tag", &tag))
		POST(fi_trecv(endpoint, received->memory, received->size, NULL, from, tag, ignore,
			      received));
	else
		POST(fi_recv(endpoint, received->memory, received->size, NULL, from, received));
	answer("posted");
}

static void await_message(void)
{
	struct operation *awaited = find_operation(number_at(1));
	uint64_t content = awaited->number;

	await(awaited);
	if (awaited->error) {
		answer("failed %d %zu", awaited->error, awaited->completion.len);
	} else if (awaited->completion.flags & FI_SEND) {
		answer("sent");
	} else {
		has_number("content", &content);
		verify(awaited->memory, awaited->completion.len, content, 0);
		answer("received %zu %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRId64,
		       awaited->completion.len, awaited->completion.flags, awaited->completion.data,
		       awaited->completion.tag, (int64_t) awaited->source);
	}
	munmap(awaited->memory, awaited->size + 1);
	awaited->memory = NULL;
}

int main(int count, char **arguments)
{
	open_peer_of(count > 2 ? arguments[2] : NULL, count > 1 ? arguments[1] : "127.0.0.1",
		     FI_MSG | FI_TAGGED | FI_SOURCE | FI_DIRECTED_RECV);
	while (next_command()) {
		if (!strcmp(words[0], "send"))
			send_message();
		else if (!strcmp(words[0], "receive"))
			receive_message();
		else if (!strcmp(words[0], "await"))
			await_message();
		else
			fail("no such command");
	}
	return 0;
}
