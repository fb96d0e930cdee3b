/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program on libfabric from 1.20 on does that sets FI_TCP_MAX_SAVED_SIZE, in the words of
 * the protocol, as 1.17 has no such variable: it keeps tagged messages up to that size, and does
 * not read past a larger one for which no receive is posted. Messages that are announced it asks for
 * when a receive is posted.
 *
 *      the test           the program
 *                         name 127.0.0.1 40001          when it listens
 *      connection         connected                     when a peer has connected, and is accepted
 *      receive TAG        received TAG SIZE             when the message with the tag has come
 *      quit               bye
 */
#include "peer.h"
#include <sys/socket.h>

#define SAVED_SIZE 16384
#define MESSAGES 64
#define TAGGED 1
#define ANNOUNCEMENT 5
#define CLEARANCE 6
#define ANNOUNCED 7

struct message {
	uint64_t tag, size;
	unsigned char number;
	bool announced, there;
};

static int peer = -1;
static struct message messages[MESSAGES];
static int count;
/* A message that is not kept: nothing behind it is read. */
static struct message *in_the_way;

/* Exactly so many bytes; ends the program if they do not come. */
static void take(void *into, size_t size)
{
	struct pollfd input = {.fd = peer, .events = POLLIN};

	for (size_t taken = 0; taken < size;) {
		if (poll(&input, 1, PATIENCE_SECONDS * 1000) != 1)
			fail("the rest of a frame does not come");
		ssize_t got = read(peer, (char *) into + taken, size - taken);

		if (got <= 0)
			fail("the connection is lost");
		taken += (size_t) got;
	}
}

static void give(const void *from, size_t size)
{
	if (write(peer, from, size) != (ssize_t) size)
		fail("a frame was not written");
}

static void skip(uint64_t size)
{
	static char nowhere[65536];

	for (; size; size -= size < sizeof(nowhere) ? size : sizeof(nowhere))
		take(nowhere, size < sizeof(nowhere) ? size : sizeof(nowhere));
}

static void read_frame(void)
{
	unsigned char header[16];
	uint64_t size, words[8];
	struct message *added = &messages[count];

	take(header, sizeof(header));
	memcpy(&size, header + 8, 8);
	take(words, header[6] - sizeof(header));
	if (header[1] == TAGGED || header[1] == ANNOUNCEMENT) {
		if (count++ == MESSAGES || header[2])
			fail("too many messages, or other flags than none");
		added->tag = words[0];
		added->announced = header[1] == ANNOUNCEMENT;
		added->number = header[4];
		added->size = added->announced ? words[1] : size - header[6];
		if (added->announced)
			return;
		if (added->size > SAVED_SIZE) {
			in_the_way = added;
			return;
		}
		skip(added->size);
		added->there = true;
	} else if (header[1] == ANNOUNCED) {
		skip(size - header[6]);
		for (int i = 0; i < count; i++) {
			if (messages[i].announced && messages[i].number == header[4])
				messages[i].there = true;
		}
	} else {
		fail("a frame of another kind: %u", header[1]);
	}
}

static void receive(uint64_t tag)
{
	struct pollfd input = {.fd = peer, .events = POLLIN};
	bool asked = false;

	for (;;) {
		for (int i = 0; i < count; i++) {
			struct message *each = &messages[i];

			if (each->tag != tag)
				continue;
			if (each == in_the_way) {
				in_the_way = NULL;
				skip(each->size);
				each->there = true;
			}
			if (each->there) {
				answer("received %" PRIu64 " %" PRIu64, tag, each->size);
				return;
			}
			if (each->announced && !asked) {
				unsigned char clearance[16] = {3, CLEARANCE, 0, 0, each->number, 0, 16, 0, 16};

				asked = true;
				give(clearance, sizeof(clearance));
			}
		}
		if (in_the_way || poll(&input, 1, 5000) != 1) {
			answer("nothing");
			return;
		}
		read_frame();
	}
}

/* Takes a request, and agrees to announcements: 32 bytes, of which two are the length of what follows. */
static void greet(int listening)
{
	unsigned char request[288];

	peer = accept(listening, NULL, NULL);
	take(request, 32);
	size_t data = (size_t) request[2] << 8 | request[3];

	take(request + 32, data);
	request[1] = 1;
	request[2] = 0;
	request[3] = 8;
	request[32] |= 0x80;
	give(request, 40);
	answer("connected");
}

int main(void)
{
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);
	char line[256];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listening, (struct sockaddr *) &address, length) || listen(listening, 1)
	    || getsockname(listening, (struct sockaddr *) &address, &length))
		fail("no socket to listen on");
	answer("name 127.0.0.1 %u", ntohs(address.sin_port));
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t tag;

		if (!strcmp(line, "quit\n")) {
			answer("bye");
			return 0;
		}
		if (!strcmp(line, "connection\n"))
			greet(listening);
		else if (sscanf(line, "receive %" SCNu64, &tag) == 1)
			receive(tag);
		else
			fail("no such command");
	}
	fail("the test has gone without saying quit");
}
