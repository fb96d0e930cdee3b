/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What our peers on libfabric have in common: one reliable endpoint that speaks libfabric's `tcp`
 * protocol, and a conversation with the test in lines.
 *
 *      the test           the peer
 *                         name 127.0.0.1 40001              when its endpoint is enabled
 *      insert HOST PORT   inserted 0
 *      ...                                                  what the program understands
 *      quit               bye                               exit status 0
 *
 * A program is a loop around next_command(). While it waits for a command, data goes on moving.
 * Whatever goes wrong - a call that fails, an answer that does not come in time, a byte that is not
 * what it should be - ends it with a sentence on standard error and exit status 1, so that its own
 * verdict is the status.
 *
 * Every transfer has a number, chosen by the test. The number decides the content: see content_word.
 */
#ifndef PEER_H
#define PEER_H

#include <arpa/inet.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#define PATIENCE_SECONDS 60
#define WORDS 32

/* An operation of this program. Its address is the context of the libfabric call. */
struct operation {
	uint64_t number;
	char *memory;
	size_t size;
	struct fi_cq_tagged_entry completion;
	fi_addr_t source;
	int error;
	bool ended;
	struct operation *next;
};

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_av *vector;
static struct fid_cq *queue;
static struct fid_ep *endpoint;
static struct fid_mr *region;
/* Of programs that connect. */
static struct fid_eq *events;
static struct fid_pep *passive;
static struct operation *operations;

/* Takes completions of which no operation of this program is the context; NULL if there are none. */
static void (*unsolicited)(const struct fi_cq_tagged_entry *completion);

/* The command that is being carried out, for messages. */
static char command[4096];
static char *words[WORDS];
static int word_count;

static inline void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, " (at: %s)\n", word_count > 0 ? command : "the beginning");
	exit(1);
}

/* The result of a libfabric call, unless it is an error. */
static inline int64_t checked(int64_t result, const char *call)
{
	if (result < 0)
		fail("%s: %s", call, fi_strerror((int) -result));
	return result;
}

static inline void __attribute__((format(printf, 1, 2))) answer(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
}

static inline double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

/*
 * Eight bytes of a content, little-endian, at 8 * index. No two words of a content are the same, nor
 * are two contents: what is displaced, swapped or left over shows.
 */
static inline uint64_t content_word(uint64_t number, uint64_t index)
{
	return (number + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (index + 1) * UINT64_C(0xD1B54A32D192ED03);
}

static inline unsigned char content_byte(uint64_t number, uint64_t offset)
{
	return (unsigned char) (content_word(number, offset / 8) >> (offset % 8 * 8));
}

/* Fills memory with a content, or with a part of it that begins at an offset. */
static inline void fill(char *memory, size_t size, uint64_t number, uint64_t offset)
{
	for (size_t i = 0; i < size; i++)
		memory[i] = (char) content_byte(number, offset + i);
}

/* Ends the program unless all bytes are those of the content, or of its part at an offset. */
static inline void verify(const char *memory, size_t size, uint64_t number, uint64_t offset)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char wanted = content_byte(number, offset + i);

		if ((unsigned char) memory[i] != wanted)
			fail("byte %zu of %zu of content %" PRIu64 " is %u and should be %u", i, size, number,
			     (unsigned char) memory[i], wanted);
	}
}

/* Zeroed memory that begins and ends at page boundaries. */
static inline char *pages(size_t size)
{
	char *memory = mmap(NULL, size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("no memory for %zu bytes", size);
	return memory;
}

/* A new operation with memory of its own, which stays until the program ends. */
static inline struct operation *operation(uint64_t number, size_t size)
{
	struct operation *created = calloc(1, sizeof(*created));

	if (!created)
		fail("no memory for an operation");
	created->number = number;
	created->size = size;
	created->memory = pages(size);
	created->source = FI_ADDR_NOTAVAIL;
	created->next = operations;
	operations = created;
	return created;
}

/* Moves data, and notes what has ended. Says whether something had. */
static inline bool progress(void)
{
	char event[512];
	uint32_t kind;

	/* Until 1.17 provider tcp connects only while somebody looks for events. */
	if (events)
		(void) !fi_eq_read(events, &kind, event, sizeof(event), FI_PEEK);

	struct fi_cq_tagged_entry completion;
	struct fi_cq_err_entry failure = {0};
	struct operation *ended;
	fi_addr_t source = FI_ADDR_NOTAVAIL;
	ssize_t count = fi_cq_readfrom(queue, &completion, 1, &source);

	if (count == -FI_EAGAIN)
		return false;
	if (count == -FI_EAVAIL) {
		checked(fi_cq_readerr(queue, &failure, 0), "fi_cq_readerr");
		ended = failure.op_context;
		if (!ended)
			fail("an error without operation: %s", fi_strerror(failure.err));
		ended->error = failure.err;
		ended->completion.len = failure.len;
	} else {
		checked(count, "fi_cq_readfrom");
		ended = completion.op_context;
		if (!ended && unsolicited) {
			unsolicited(&completion);
			return true;
		}
		if (!ended)
			fail("a completion without operation, flags %" PRIx64, completion.flags);
		ended->completion = completion;
		ended->source = source;
	}
	if (ended->ended)
		fail("operation %" PRIu64 " ends twice", ended->number);
	ended->ended = true;
	return true;
}

/* Waits until an operation has ended, well or not. */
static inline void await(struct operation *awaited)
{
	double end = seconds() + PATIENCE_SECONDS;

	while (!awaited->ended) {
		if (!progress() && seconds() > end)
			fail("operation %" PRIu64 " does not end", awaited->number);
	}
}

/* Posts until libfabric takes it: POST(fi_send(...)). */
#define POST(call) \
	do { \
		double end_ = seconds() + PATIENCE_SECONDS; \
		ssize_t result_; \
		while ((result_ = (call)) == -FI_EAGAIN) { \
			progress(); \
			if (seconds() > end_) \
				fail("%s: try again for ever", #call); \
		} \
		checked(result_, #call); \
	} while (0)

static inline struct operation *find_operation(uint64_t number)
{
	struct operation *found = operations;

	while (found && found->number != number)
		found = found->next;
	if (!found)
		fail("there is no operation %" PRIu64, number);
	return found;
}

/*
 * The domain, vector, queue and endpoint, and the line that says where it listens. Until 1.17 the
 * protocol is that of provider net, and tcp has another one for this type. A provider that is not
 * NULL is taken instead.
 */
static inline void open_peer_of(const char *provider, const char *node, uint64_t capabilities)
{
	bool has_net = FI_VERSION_LT(fi_version(), FI_VERSION(1, 18));
	struct fi_info *hints = fi_allocinfo();
	struct fi_av_attr vector_attributes = {.type = FI_AV_TABLE};
	struct fi_cq_attr queue_attributes = {.format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE};
	char name[128], host[128], port[16];
	size_t length = sizeof(name);

	if (!hints)
		fail("fi_allocinfo");
	hints->caps = capabilities;
	hints->ep_attr->type = FI_EP_RDM;
	hints->fabric_attr->prov_name = strdup(provider ? provider : has_net ? "net" : "tcp");
	checked(fi_getinfo(FI_VERSION(1, 17), node, "0", FI_SOURCE, hints, &info), "fi_getinfo");
	checked(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
	checked(fi_domain(fabric, info, &domain, NULL), "fi_domain");
	checked(fi_av_open(domain, &vector_attributes, &vector, NULL), "fi_av_open");
	checked(fi_cq_open(domain, &queue_attributes, &queue, NULL), "fi_cq_open");
	checked(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
	checked(fi_ep_bind(endpoint, &vector->fid, 0), "fi_ep_bind of the vector");
	checked(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind of the queue");
	checked(fi_enable(endpoint), "fi_enable");
	checked(fi_getname(&endpoint->fid, name, &length), "fi_getname");
	if (getnameinfo((struct sockaddr *) name, (socklen_t) length, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		fail("getnameinfo");
	fi_freeinfo(hints);
	answer("name %s %s", host, port);
}

static inline void open_peer(const char *node, uint64_t capabilities)
{
	open_peer_of(NULL, node, capabilities);
}

/* Closes what is open; each close has to work. */
static inline void close_peer(void)
{
	if (endpoint)
		checked(fi_close(&endpoint->fid), "fi_close of the endpoint");
	if (region)
		checked(fi_close(&region->fid), "fi_close of the region");
	checked(fi_close(&queue->fid), "fi_close of the queue");
	if (vector)
		checked(fi_close(&vector->fid), "fi_close of the vector");
	checked(fi_close(&domain->fid), "fi_close of the domain");
	if (passive)
		checked(fi_close(&passive->fid), "fi_close of the passive endpoint");
	if (events)
		checked(fi_close(&events->fid), "fi_close of the event queue");
	checked(fi_close(&fabric->fid), "fi_close of the fabric");
	fi_freeinfo(info);
}

/*
 * Waits for a line of the test, moving data, and puts its words into `words`; `insert` is carried
 * out here. False when the test says quit; a test that vanishes is a failure.
 */
static inline bool next_command(void)
{
	static char line[sizeof(command)];
	static size_t held;

	for (;;) {
		char *end = memchr(line, '\n', held);
		struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

		if (end) {
			size_t length = (size_t) (end - line);

			memcpy(command, line, length);
			command[length] = 0;
			held -= length + 1;
			memmove(line, end + 1, held);
			static char split[sizeof(command)];
			strcpy(split, command);
			word_count = 0;
			for (char *word = strtok(split, " "); word; word = strtok(NULL, " ")) {
				if (word_count == WORDS)
					fail("too many words");
				words[word_count++] = word;
			}
			if (word_count == 0)
				fail("an empty command");
			if (!strcmp(words[0], "quit")) {
				close_peer();
				answer("bye");
				return false;
			}
			if (strcmp(words[0], "insert"))
				return true;
			fi_addr_t handle;
			if (word_count != 3)
				fail("usage: insert HOST PORT");
			if (checked(fi_av_insertsvc(vector, words[1], words[2], &handle, 0, NULL),
				    "fi_av_insertsvc") != 1)
				fail("the address was not inserted");
			answer("inserted %" PRIu64, handle);
			continue;
		}
		progress();
		if (held == sizeof(line))
			fail("a command is longer than %zu bytes", sizeof(line));
		if (poll(&input, 1, 1) > 0) {
			ssize_t count = read(STDIN_FILENO, line + held, sizeof(line) - held);

			if (count <= 0)
				fail("the test has gone without saying quit");
			held += (size_t) count;
		}
	}
}

/* A word of the command as a number, decimal or with 0x. */
static inline uint64_t number_at(int index)
{
	char *end;

	if (index >= word_count)
		fail("word %d is missing", index);
	uint64_t number = strtoull(words[index], &end, 0);
	if (*end)
		fail("\"%s\" is no number", words[index]);
	return number;
}

/* Whether the command has a word such as "inject", after those that it must have. */
static inline bool has_word(const char *word)
{
	for (int i = 1; i < word_count; i++) {
		if (!strcmp(words[i], word))
			return true;
	}
	return false;
}

/* Whether the command has a word such as "tag=5", and its number. */
static inline bool has_number(const char *name, uint64_t *number)
{
	size_t length = strlen(name);

	for (int i = 1; i < word_count; i++) {
		if (!strncmp(words[i], name, length) && words[i][length] == '=') {
			char *end;

			*number = strtoull(words[i] + length + 1, &end, 0);
			if (*end)
				fail("\"%s\" is no number", words[i]);
			return true;
		}
	}
	return false;
}

#endif
