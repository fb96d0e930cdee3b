/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One side of an exchange of messages over the libfabric of this machine: reliable endpoints of one
 * provider (tcp is called net before 1.18), manual progress, one thread that never sleeps while it
 * waits. Told what to do by lines on standard input; answers each with "ok" and what is asked for,
 * or "error" and the reason, and ends with its input.
 *
 *   name                     ok ADDRESS    where peers reach it
 *   peer ADDRESS             ok            whom it talks to
 *   answer SIZE COUNT        ok, ok        is ready; has sent back each of so many messages
 *   ask SIZE COUNT FILE      ok            has done as many round trips; their times are in the file
 *   take SIZE COUNT          ok, ok        is ready; has received so many, and said so to the peer
 *   stream SIZE COUNT        ok NANOS      has sent so many, and the peer has them
 *   announce SIZE COUNT      ok NANOS      the same, but says of each message if another follows
 *   self SIZE COUNT          ok NANOS      has sent so many to itself, in that processor time
 *
 * Arguments: how many messages are under way at a time, the longest one, and the provider. What only prepares or
 * checks happens outside the time.
 */
#include "program.h"
#include "libfabric.h"
#include <rdma/fi_cm.h>

#define AT_A_TIME 16
#define PATIENCE_NANOS 20000000000u
#define POLLS_BETWEEN_LOOKS 4000000

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_av *vector;
static struct fid_cq *queue;
static struct fid_ep *endpoint;
static fi_addr_t peer = FI_ADDR_UNSPEC;

static size_t window, longest;
static unsigned char *output;
/* An answer is sent from one while the other waits for the next question. */
static unsigned char *inputs[2];

/* Completions so far. */
static uint64_t sent, received, received_bytes;

static unsigned char *buffer(void)
{
	size_t size = (longest + 4095) / 4096 * 4096;

	/* Touched now, so that no measurement pays for its pages. */
	return memset(need(aligned_alloc(4096, size)), 0xff, size);
}

static void open_all(const char *provider)
{
	struct fi_cq_attr attributes = { .size = 1024, .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_NONE };
	struct fi_av_attr table = { .type = FI_AV_TABLE };
	struct fi_info *hints = need(fi_allocinfo());
	uint32_t version = fi_version();
	int result;

	if (!strcmp(provider, "tcp") && !FI_VERSION_GE(version, FI_VERSION(1, 18)))
		provider = "net";
	if (!strncmp(provider, "libfabric:", 10))
		provider += 10;
	hints->fabric_attr->prov_name = strdup(provider);
	hints->ep_attr->type = FI_EP_RDM;
	hints->caps = FI_MSG;
	hints->addr_format = FI_SOCKADDR_IN;
	hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	result = fi_getinfo(VERSION, "127.0.0.1", NULL, FI_SOURCE, hints, &info);
	if (result == -FI_ENODATA) {
		/* Some fabrics have no addresses of hosts. */
		hints->addr_format = FI_FORMAT_UNSPEC;
		result = fi_getinfo(VERSION, NULL, NULL, 0, hints, &info);
	}
	check("fi_getinfo", result);
	fi_freeinfo(hints);
	check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
	check("fi_domain", fi_domain(fabric, info, &domain, NULL));
	check("fi_av_open", fi_av_open(domain, &table, &vector, NULL));
	check("fi_cq_open", fi_cq_open(domain, &attributes, &queue, NULL));
	check("fi_endpoint", fi_endpoint(domain, info, &endpoint, NULL));
	check("fi_ep_bind", fi_ep_bind(endpoint, &vector->fid, 0));
	check("fi_ep_bind", fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV));
	check("fi_enable", fi_enable(endpoint));
}

static void name(void)
{
	unsigned char address[64];
	size_t i, size = sizeof address;

	check("fi_getname", fi_getname(&endpoint->fid, address, &size));
	printf("ok ");
	for (i = 0; i < size; i++)
		printf("%02x", address[i]);
	printf("\n");
}

static void talk_to(const char *hex)
{
	unsigned char address[64];
	size_t i;
	unsigned byte;

	for (i = 0; i < sizeof address && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		address[i] = (unsigned char)byte;
	if (fi_av_insert(vector, address, 1, &peer, 0, NULL) != 1)
		fail_plain("fi_av_insert refused the address");
	printf("ok\n");
}

/* Reads completions that are there, which is what moves data. */
static inline int poll_queue(void)
{
	struct fi_cq_msg_entry entries[AT_A_TIME];
	ssize_t i, count = fi_cq_read(queue, entries, AT_A_TIME);

	if (count <= 0) {
		if (count != -FI_EAGAIN)
			fail("fi_cq_read", count);
		return 0;
	}
	for (i = 0; i < count; i++) {
		if (entries[i].flags & FI_RECV) {
			received++;
			received_bytes += entries[i].len;
		} else {
			sent++;
		}
	}
	return 1;
}

/* Whoever asked for this may be gone. */
static void give_up(void)
{
	fail_plain("nothing comes any more");
}

static inline void await(uint64_t all_sent, uint64_t all_received)
{
	uint64_t polls = 0, begin = 0;

	while (sent < all_sent || received < all_received) {
		if (!poll_queue() && ++polls % POLLS_BETWEEN_LOOKS == 0) {
			if (!begin)
				begin = now();
			else if (now() - begin > PATIENCE_NANOS)
				give_up();
		}
	}
}

static inline void post_send(const void *message, size_t size)
{
	ssize_t ret;

	while ((ret = fi_send(endpoint, message, size, NULL, peer, NULL)) == -FI_EAGAIN)
		poll_queue();
	if (ret)
		fail("fi_send", ret);
}

static inline void post_receive(void *into, size_t size)
{
	ssize_t ret;

	while ((ret = fi_recv(endpoint, into, size, NULL, FI_ADDR_UNSPEC, NULL)) == -FI_EAGAIN)
		poll_queue();
	if (ret)
		fail("fi_recv", ret);
}

static void begin(void)
{
	sent = received = received_bytes = 0;
}

static void ready(void)
{
	printf("ok\n");
	fflush(stdout);
}

static void check_received(uint64_t bytes)
{
	if (received_bytes != bytes)
		fail_plain("messages came with the wrong length");
}

static void answer(size_t size, uint64_t count)
{
	uint64_t i;

	begin();
	post_receive(inputs[0], size);
	ready();
	for (i = 0; i < count; i++) {
		await(i, i + 1);
		if (i + 1 < count)
			post_receive(inputs[(i + 1) % 2], size);
		post_send(inputs[i % 2], size);
	}
	await(count, count);
	check_received(size * count);
	printf("ok\n");
}

static void ask(size_t size, uint64_t count, const char *file_name)
{
	uint64_t *times = need(malloc(count * sizeof *times));
	uint64_t i, start;
	FILE *file;

	memset(times, 0xff, count * sizeof *times);
	for (i = 0; i < size; i++)
		output[i] = (unsigned char)(i * 7 + count);
	memset(inputs[0], 0, size);
	begin();
	start = now();
	for (i = 0; i < count; i++) {
		uint64_t end;

		post_receive(inputs[0], size);
		post_send(output, size);
		await(i + 1, i + 1);
		end = now();
		times[i] = end - start;
		start = end;
	}
	check_received(size * count);
	if (memcmp(inputs[0], output, size))
		fail_plain("a message came back with other content");
	file = fopen(file_name, "wb");
	if (!file || fwrite(times, sizeof *times, count, file) != count || fclose(file))
		fail_plain("cannot write the file");
	free(times);
	printf("ok\n");
}

static void take(size_t size, uint64_t count)
{
	uint64_t posted = 0, polls = 0, begun = 0;

	begin();
	while (posted < window && posted < count) {
		post_receive(inputs[0], size);
		posted++;
	}
	ready();
	while (received < count) {
		while (posted < count && posted - received < window) {
			post_receive(inputs[0], size);
			posted++;
		}
		if (!poll_queue() && ++polls % POLLS_BETWEEN_LOOKS == 0) {
			if (!begun)
				begun = now();
			else if (now() - begun > PATIENCE_NANOS)
				give_up();
		}
	}
	post_send(output, 1);
	await(1, count);
	check_received(size * count);
	printf("ok\n");
}

/* FI_MORE with all but the last of those that are posted in a row. */
static inline void post_send_more(const void *message, size_t size, int more)
{
	struct iovec part = { .iov_base = (void *)message, .iov_len = size };
	struct fi_msg msg = { .msg_iov = &part, .iov_count = 1, .addr = peer };
	ssize_t ret;

	while ((ret = fi_sendmsg(endpoint, &msg, FI_COMPLETION | (more ? FI_MORE : 0))) == -FI_EAGAIN)
		poll_queue();
	if (ret)
		fail("fi_sendmsg", ret);
}

static void stream(size_t size, uint64_t count, int announced)
{
	uint64_t posted = 0, start;

	begin();
	post_receive(inputs[0], 1);
	start = now();
	while (posted < count) {
		while (posted < count && posted - sent < window) {
			posted++;
			if (announced)
				post_send_more(output, size, posted < count && posted - sent < window);
			else
				post_send(output, size);
		}
		poll_queue();
	}
	await(count, 1);
	printf("ok %" PRIu64 "\n", now() - start);
}

static void to_itself(size_t size, uint64_t count)
{
	uint64_t i, start;

	time_source = CLOCK_THREAD_CPUTIME_ID;
	begin();
	start = now();
	for (i = 0; i < count; i++) {
		post_receive(inputs[0], size);
		post_send(output, size);
		await(i + 1, i + 1);
	}
	check_received(size * count);
	printf("ok %" PRIu64 "\n", now() - start);
	time_source = CLOCK_MONOTONIC;
}

static void obey(char *line)
{
	char word[4096];
	size_t size;
	uint64_t count;

	if (!strcmp(line, "name\n"))
		name();
	else if (sscanf(line, "peer %4095s", word) == 1)
		talk_to(word);
	else if (sscanf(line, "answer %zu %" SCNu64, &size, &count) == 2)
		answer(size, count);
	else if (sscanf(line, "ask %zu %" SCNu64 " %4095[^\n]", &size, &count, word) == 3)
		ask(size, count, word);
	else if (sscanf(line, "take %zu %" SCNu64, &size, &count) == 2)
		take(size, count);
	else if (sscanf(line, "stream %zu %" SCNu64, &size, &count) == 2)
		stream(size, count, 0);
	else if (sscanf(line, "announce %zu %" SCNu64, &size, &count) == 2)
		stream(size, count, 1);
	else if (sscanf(line, "self %zu %" SCNu64, &size, &count) == 2)
		to_itself(size, count);
	else
		fail_plain("unknown command");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[8192];
	uint32_t version = fi_version();

	if (argc != 4) {
		fprintf(stderr, "usage: %s WINDOW LONGEST PROVIDER\n", argv[0]);
		return 2;
	}
	window = strtoul(argv[1], NULL, 10);
	longest = strtoul(argv[2], NULL, 10);
	output = buffer();
	inputs[0] = buffer();
	inputs[1] = buffer();
	open_all(argv[3]);
	printf("ok %u.%u %s\n", FI_MAJOR(version), FI_MINOR(version), info->fabric_attr->prov_name);
	fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		obey(line);
	return 0;
}
