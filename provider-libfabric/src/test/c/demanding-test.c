/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests libdemanding.so: who does everything right has no violation, each wrong call is noticed.
 *
 *   gcc -pthread -o demanding-test demanding-test.c -L. -ldemanding -Wl,-rpath,.
 *
 * Prints what it does, and what failed; exit status 0 if all is well, else 1.
 */
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "demanding.h"

#define OPERATIONS 16
#define SIZE 8192
#define ALL_ACCESS (FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			printf("demanding-test.c:%d: not so: %s\n", __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)
#define OK(call) CHECK((call) == 0)
/* Posts, and makes progress while there is no room. */
#define POST(rig, call) \
	do { \
		ssize_t posted; \
		while ((posted = (call)) == -FI_EAGAIN) \
			progress(rig); \
		CHECK(posted == 0); \
	} while (0)
/* Tries again without progress. */
#define REPEAT(call) \
	do { \
		ssize_t posted; \
		while ((posted = (call)) == -FI_EAGAIN) \
			; \
		CHECK(posted == 0); \
	} while (0)
/* The call fails, and the violation says why. */
#define WRONG(call, why) \
	do { \
		demanding_reset(); \
		CHECK((call) < 0); \
		noticed(__LINE__, why); \
	} while (0)

/* Two endpoints, each with a region of its own, and operations. */
static struct rig {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_cntr *sends;
	struct fid_ep *ep[2];
	fi_addr_t handle[2];
	char *memory[2];
	struct fid_mr *mr[2];
	void *desc[2];
	/* Where a peer finds the region. */
	uint64_t base[2];
	struct fi_context2 contexts[OPERATIONS];
	struct fi_cq_err_entry ended[OPERATIONS];
	char error_data[16];
	fi_addr_t source[OPERATIONS];
	/* When it ended, from 1 on. */
	int order[OPERATIONS];
	int count;
	struct fi_cq_tagged_entry told;
} rigs[2];

static void noticed(int line, const char *why)
{
	const char *violation = demanding_violation();

	if (!violation || !strstr(violation, why)) {
		printf("demanding-test.c:%d: expected \"%s\", got \"%s\"\n", line, why, violation);
		exit(1);
	}
	demanding_reset();
}

static struct fi_info *hints_for(const char *domain)
{
	struct fi_info *hints = fi_allocinfo();

	hints->caps = FI_MSG | FI_TAGGED | FI_RMA | FI_SOURCE | FI_DIRECTED_RECV;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->name = strdup(domain);
	hints->domain_attr->mr_mode =
		FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
	return hints;
}

static void open_rig(struct rig *rig, const char *domain)
{
	struct fi_info *hints = hints_for(domain);
	struct fi_cq_attr queue = {.format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_FD};
	struct fi_av_attr vector = {.type = FI_AV_TABLE};
	struct fi_cntr_attr counter = {.events = FI_CNTR_EVENTS_COMP};
	uint8_t address[64];

	memset(rig, 0, sizeof(*rig));
	OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &rig->info));
	CHECK(!rig->info->next);
	fi_freeinfo(hints);
	OK(fi_fabric(rig->info->fabric_attr, &rig->fabric, NULL));
	OK(fi_domain(rig->fabric, rig->info, &rig->domain, NULL));
	OK(fi_av_open(rig->domain, &vector, &rig->av, NULL));
	OK(fi_cq_open(rig->domain, &queue, &rig->cq, NULL));
	OK(fi_cntr_open(rig->domain, &counter, &rig->sends, NULL));
	for (int i = 0; i < 2; i++) {
		size_t length = sizeof(address);

		OK(fi_endpoint(rig->domain, rig->info, &rig->ep[i], NULL));
		OK(fi_ep_bind(rig->ep[i], &rig->av->fid, 0));
		OK(fi_ep_bind(rig->ep[i], &rig->cq->fid, FI_TRANSMIT | FI_RECV));
		OK(fi_ep_bind(rig->ep[i], &rig->sends->fid, FI_SEND));
		OK(fi_enable(rig->ep[i]));
		OK(fi_getname(&rig->ep[i]->fid, address, &length));
		CHECK(length == (rig->info->addr_format == FI_ADDR_EFA ? 32 : 8));
		CHECK(fi_av_insert(rig->av, address, 1, &rig->handle[i], 0, NULL) == 1);
		rig->memory[i] = aligned_alloc(4096, SIZE);
		memset(rig->memory[i], 'a' + i, SIZE);
		OK(fi_mr_reg(rig->domain, rig->memory[i], SIZE, ALL_ACCESS, 0, 7, 0, &rig->mr[i],
			     NULL));
		if (rig->info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
			CHECK(fi_mr_key(rig->mr[i]) == FI_KEY_NOTAVAIL && !fi_mr_desc(rig->mr[i]));
			OK(fi_mr_bind(rig->mr[i], &rig->ep[i]->fid, 0));
			OK(fi_mr_enable(rig->mr[i]));
		} else {
			rig->base[i] = (uintptr_t)rig->memory[i];
		}
		rig->desc[i] = fi_mr_desc(rig->mr[i]);
	}
}

static void close_rig(struct rig *rig)
{
	for (int i = 0; i < 2; i++) {
		OK(fi_close(&rig->mr[i]->fid));
		OK(fi_close(&rig->ep[i]->fid));
		free(rig->memory[i]);
	}
	OK(fi_close(&rig->sends->fid));
	OK(fi_close(&rig->cq->fid));
	OK(fi_close(&rig->av->fid));
	OK(fi_close(&rig->domain->fid));
	OK(fi_close(&rig->fabric->fid));
	fi_freeinfo(rig->info);
}

static bool progress(struct rig *rig)
{
	struct fi_cq_err_entry entry = {.err_data = rig->error_data,
					.err_data_size = sizeof(rig->error_data)};
	fi_addr_t source = 0;
	ssize_t count = fi_cq_readfrom(rig->cq, &entry, 1, &source);

	if (count == -FI_EAVAIL)
		count = fi_cq_readerr(rig->cq, &entry, 0);
	if (count == -FI_EAGAIN)
		return false;
	CHECK(count == 1);
	if (!entry.op_context) {
		memcpy(&rig->told, &entry, sizeof(rig->told));
		return true;
	}
	size_t number = (struct fi_context2 *)entry.op_context - rig->contexts;

	CHECK(number < OPERATIONS && !rig->order[number]);
	rig->ended[number] = entry;
	rig->source[number] = source;
	rig->order[number] = ++rig->count;
	return true;
}

/* Starts an operation: returns its context. */
static void *begin(struct rig *rig, int number)
{
	rig->order[number] = 0;
	return &rig->contexts[number];
}

/* Waits for the end of an operation: returns its error. */
static int end(struct rig *rig, int number)
{
	while (!rig->order[number])
		progress(rig);
	return rig->ended[number].err;
}

static void messages(struct rig *rig)
{
	char *from = rig->memory[0], *to = rig->memory[1];
	struct iovec parts[2] = {{from + 3000, 3}, {from + 4000, 2}};
	void *descs[2] = {rig->desc[0], rig->desc[0]};

	POST(rig, fi_recv(rig->ep[1], to, 100, rig->desc[1], FI_ADDR_UNSPEC, begin(rig, 0)));
	POST(rig, fi_send(rig->ep[0], from, 10, rig->desc[0], rig->handle[1], begin(rig, 1)));
	OK(end(rig, 0) | end(rig, 1));
	CHECK(rig->ended[0].len == 10 && !memcmp(from, to, 10) && to[10] == 'b');
	CHECK(rig->ended[0].flags == (FI_MSG | FI_RECV) &&
	      rig->ended[1].flags == (FI_MSG | FI_SEND));
	CHECK(rig->source[0] == rig->handle[0]);
	/* A tagged message that is there before its receive, in two pieces, with data. */
	struct fi_msg_tagged message = {.msg_iov = parts, .desc = descs, .iov_count = 2,
					.addr = rig->handle[1], .tag = 0x1234, .data = 99,
					.context = begin(rig, 2)};
	memcpy(from + 3000, "uvw", 3);
	memcpy(from + 4000, "xy", 2);
	POST(rig, fi_tsendmsg(rig->ep[0], &message, FI_REMOTE_CQ_DATA | FI_DELIVERY_COMPLETE));
	for (int i = 0; i < 10; i++)
		progress(rig);
	CHECK(!rig->order[2]);
	POST(rig, fi_trecv(rig->ep[1], to, 5, rig->desc[1], FI_ADDR_UNSPEC, 0x1200, 0xFF,
			   begin(rig, 3)));
	OK(end(rig, 2) | end(rig, 3));
	CHECK(rig->ended[3].tag == 0x1234 && rig->ended[3].data == 99 && !memcmp(to, "uvwxy", 5));
	CHECK(rig->ended[3].flags == (FI_TAGGED | FI_RECV | FI_REMOTE_CQ_DATA));
	/* Sends complete in the reverse order, receives in that of the messages. */
	for (int i = 0; i < 3; i++)
		REPEAT(fi_recv(rig->ep[1], to + 10 * i, 10, rig->desc[1], FI_ADDR_UNSPEC,
			       begin(rig, i)));
	for (int i = 3; i < 6; i++)
		REPEAT(fi_send(rig->ep[0], from + i, i, rig->desc[0], rig->handle[1],
			       begin(rig, i)));
	for (int i = 0; i < 6; i++)
		OK(end(rig, i));
	CHECK(rig->ended[0].len == 3 && rig->ended[1].len == 4 && rig->ended[2].len == 5);
	CHECK(rig->order[0] < rig->order[1] && rig->order[1] < rig->order[2]);
	CHECK(rig->order[5] < rig->order[4] && rig->order[4] < rig->order[3]);
	CHECK(fi_cntr_read(rig->sends) == 5 && fi_cntr_readerr(rig->sends) == 0);
	if (rig->info->tx_attr->inject_size) {
		POST(rig, fi_inject(rig->ep[0], "injected", 8, rig->handle[1]));
		POST(rig, fi_recv(rig->ep[1], to, 8, rig->desc[1], FI_ADDR_UNSPEC, begin(rig, 0)));
		OK(end(rig, 0));
		CHECK(!memcmp(to, "injected", 8) && !progress(rig) &&
		      fi_cntr_read(rig->sends) == 6);
	}
}

static ssize_t search(struct rig *rig, uint64_t tag, void *context, uint64_t flags)
{
	struct iovec part = {rig->memory[1], 100};
	struct fi_msg_tagged message = {.msg_iov = &part, .desc = &rig->desc[1], .tag = tag,
					.iov_count = flags & (FI_PEEK | FI_DISCARD) ? 0 : 1,
					.addr = FI_ADDR_UNSPEC, .context = context};

	return fi_trecvmsg(rig->ep[1], &message, flags);
}

/* Looks for messages, puts them aside, and takes or drops them. */
static void searches(struct rig *rig)
{
	char *from = rig->memory[0];

	POST(rig, search(rig, 5, begin(rig, 0), FI_PEEK));
	CHECK(end(rig, 0) == FI_ENOMSG);
	for (int i = 1; i < 4; i++) {
		POST(rig, fi_tsend(rig->ep[0], from, i, rig->desc[0], rig->handle[1], 5,
				   begin(rig, i)));
		OK(end(rig, i));
	}
	POST(rig, search(rig, 5, begin(rig, 0), FI_PEEK | FI_CLAIM));
	OK(end(rig, 0));
	CHECK(rig->ended[0].len == 1 && rig->ended[0].tag == 5);
	POST(rig, search(rig, 5, begin(rig, 1), FI_PEEK | FI_DISCARD));
	OK(end(rig, 1));
	CHECK(rig->ended[1].len == 2);
	WRONG(search(rig, 5, begin(rig, 1), FI_CLAIM), "no message is put aside");
	WRONG(search(rig, 6, &rig->contexts[0], FI_CLAIM), "another tag");
	WRONG(search(rig, 5, &rig->contexts[0], 0), "message that was put aside");
	WRONG(search(rig, 5, begin(rig, 1), FI_DISCARD), "goes with one of");
	((char *)&rig->contexts[0])[1]++;
	WRONG(search(rig, 5, &rig->contexts[0], FI_CLAIM), "somebody wrote to the context");
	((char *)&rig->contexts[0])[1]--;
	rig->order[0] = 0;
	POST(rig, search(rig, 5, &rig->contexts[0], FI_CLAIM));
	OK(end(rig, 0));
	CHECK(rig->ended[0].len == 1);
	POST(rig, search(rig, 5, begin(rig, 0), FI_PEEK | FI_CLAIM));
	OK(end(rig, 0));
	rig->order[0] = 0;
	POST(rig, search(rig, 5, &rig->contexts[0], FI_CLAIM | FI_DISCARD));
	OK(end(rig, 0));
	POST(rig, search(rig, 5, begin(rig, 0), FI_PEEK));
	CHECK(end(rig, 0) == FI_ENOMSG);
}

/* Receives that name their source. */
static void directed(struct rig *rig)
{
	fi_addr_t unknown = 1000;

	WRONG(fi_recv(rig->ep[1], rig->memory[1], 8, rig->desc[1], unknown, begin(rig, 0)),
	      "names no entry");
	POST(rig, fi_recv(rig->ep[1], rig->memory[1], 8, rig->desc[1], rig->handle[1],
			  begin(rig, 0)));
	POST(rig, fi_recv(rig->ep[1], rig->memory[1], 8, rig->desc[1], rig->handle[0],
			  begin(rig, 1)));
	WRONG(fi_av_remove(rig->av, &rig->handle[0], 1, 0), "outstanding");
	POST(rig, fi_send(rig->ep[0], rig->memory[0], 3, rig->desc[0], rig->handle[1],
			  begin(rig, 2)));
	OK(end(rig, 1) | end(rig, 2));
	CHECK(rig->ended[1].len == 3 && !rig->order[0]);
	OK(fi_cancel(&rig->ep[1]->fid, &rig->contexts[0]));
	CHECK(end(rig, 0) == FI_ECANCELED);
}

static void remote_access(struct rig *rig)
{
	uint64_t key = fi_mr_key(rig->mr[1]), place = rig->base[1] + 500;

	strcpy(rig->memory[0], "remote");
	POST(rig, fi_writedata(rig->ep[0], rig->memory[0], 7, rig->desc[0], 5, rig->handle[1],
			       place, key, begin(rig, 0)));
	OK(end(rig, 0));
	POST(rig, fi_read(rig->ep[0], rig->memory[0] + 100, 7, rig->desc[0], rig->handle[1], place,
			  key, begin(rig, 1)));
	OK(end(rig, 1));
	CHECK(!strcmp(rig->memory[1] + 500, "remote") && !strcmp(rig->memory[0] + 100, "remote"));
	CHECK(rig->told.flags == (FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA) &&
	      rig->told.data == 5);
}

static void failures(struct rig *rig)
{
	uint8_t nobody[32];
	size_t length = sizeof(nobody);
	fi_addr_t absent;
	char text[64];
	int tries = 0;
	uint64_t errors = fi_cntr_readerr(rig->sends);

	POST(rig,
	     fi_recv(rig->ep[1], rig->memory[1], 4, rig->desc[1], FI_ADDR_UNSPEC, begin(rig, 0)));
	POST(rig,
	     fi_send(rig->ep[0], rig->memory[0], 9, rig->desc[0], rig->handle[1], begin(rig, 1)));
	CHECK(end(rig, 0) == FI_ETRUNC && rig->ended[0].len == 4 && rig->ended[0].olen == 5);
	OK(end(rig, 1));
	POST(rig,
	     fi_recv(rig->ep[1], rig->memory[1], 4, rig->desc[1], FI_ADDR_UNSPEC, begin(rig, 0)));
	OK(fi_cancel(&rig->ep[1]->fid, &rig->contexts[0]));
	CHECK(end(rig, 0) == FI_ECANCELED);
	CHECK(fi_cancel(&rig->ep[1]->fid, &rig->contexts[0]) == -FI_ENOENT);
	if (rig == rigs) {
		demanding_fail_every(1);
	} else {
		CHECK(!demanding_violation());
		setenv("DEMANDING_FAIL_EVERY", "1", true);
		demanding_reset();
		unsetenv("DEMANDING_FAIL_EVERY");
	}
	POST(rig,
	     fi_send(rig->ep[0], rig->memory[0], 9, rig->desc[0], rig->handle[1], begin(rig, 0)));
	demanding_fail_every(0);
	CHECK(end(rig, 0) == FI_EIO && rig->ended[0].prov_errno == 42);
	CHECK(!strcmp(rig->error_data, "the wire broke") &&
	      fi_cntr_readerr(rig->sends) == errors + 1);
	CHECK(!strcmp(fi_cq_strerror(rig->cq, 42, rig->error_data, text, sizeof(text)),
		      "demanding error 42: the wire broke"));
	/* The same address with another number. */
	OK(fi_av_lookup(rig->av, rig->handle[0], nobody, &length));
	nobody[length == 32 ? 22 : 2] = 1;
	CHECK(fi_av_insert(rig->av, nobody, 1, &absent, 0, NULL) == 1);
	while (fi_send(rig->ep[0], rig->memory[0], 9, rig->desc[0], absent, begin(rig, 0)) ==
	       -FI_EAGAIN) {
		progress(rig);
		tries++;
	}
	CHECK(tries >= 200 && end(rig, 0) == FI_EHOSTUNREACH);
	OK(fi_av_remove(rig->av, &absent, 1, 0));
}

static void waiting(struct rig *rig)
{
	struct fid *queue = &rig->cq->fid;
	struct pollfd ready = {.events = POLLIN};

	OK(fi_control(queue, FI_GETWAIT, &ready.fd));
	OK(fi_trywait(rig->fabric, &queue, 1));
	CHECK(poll(&ready, 1, 0) == 0);
	REPEAT(fi_recv(rig->ep[1], rig->memory[1], 9, rig->desc[1], FI_ADDR_UNSPEC, begin(rig, 1)));
	REPEAT(fi_send(rig->ep[0], rig->memory[0], 9, rig->desc[0], rig->handle[1], begin(rig, 0)));
	CHECK(poll(&ready, 1, 0) == 1 && fi_trywait(rig->fabric, &queue, 1) == -FI_EAGAIN);
	OK(end(rig, 0) | end(rig, 1));
	OK(fi_trywait(rig->fabric, &queue, 1));
}

/* A message is received, and completes with its data. */
#define PASSES(rig, receive, send, with) \
	do { \
		memset(rig->memory[1], 0, 8); \
		rig->order[1] = -1; \
		POST(rig, receive); \
		POST(rig, send); \
		OK(end(rig, 0) | end(rig, 1)); \
		CHECK(rig->ended[0].len == 8 && !memcmp(rig->memory[0], rig->memory[1], 8)); \
		CHECK(!(with) || rig->ended[0].data == (uint64_t)(with)); \
	} while (0)
/* Bytes get from one region to the other. */
#define MOVES(rig, source, target, call) \
	do { \
		memset(target, 0, 8); \
		rig->order[0] = -1; \
		POST(rig, call); \
		OK(end(rig, 0)); \
		CHECK(!memcmp(source, target, 8)); \
	} while (0)

/* The calls that the other tests leave out. */
static void variants(struct rig *rig)
{
	char *from = rig->memory[0], *to = rig->memory[1];
	struct iovec out = {from, 8}, in = {to, 8};
	struct fid_ep *ep = rig->ep[0], *peer = rig->ep[1];
	fi_addr_t there = rig->handle[1];
	void **desc = rig->desc;
	uint64_t key = fi_mr_key(rig->mr[1]), place = rig->base[1];
	struct fi_rma_iov target = {place, 8, key};
	struct fi_msg receive = {.msg_iov = &in, .desc = desc + 1, .iov_count = 1};
	struct fi_msg_tagged tagged = {
		.msg_iov = &in, .desc = desc + 1, .iov_count = 1, .tag = 4, .ignore = 1};
	struct fi_msg_rma access = {.msg_iov = &out, .desc = desc, .iov_count = 1, .addr = there,
				    .rma_iov = &target, .rma_iov_count = 1};

	memcpy(from, "variants", 8);
	receive.context = tagged.context = access.context = &rig->contexts[0];
	PASSES(rig, fi_recvv(peer, &in, desc + 1, 1, 0, begin(rig, 0)),
	       fi_sendv(ep, &out, desc, 1, there, begin(rig, 1)), 0);
	PASSES(rig, (begin(rig, 0), fi_recvmsg(peer, &receive, 0)),
	       fi_senddata(ep, from, 8, *desc, 3, there, begin(rig, 1)), 3);
	PASSES(rig, fi_trecvv(peer, &in, desc + 1, 1, 0, 5, 0, begin(rig, 0)),
	       fi_tsend(ep, from, 8, *desc, there, 5, begin(rig, 1)), 0);
	PASSES(rig, (begin(rig, 0), fi_trecvmsg(peer, &tagged, 0)),
	       fi_tsendv(ep, &out, desc, 1, there, 5, begin(rig, 1)), 0);
	PASSES(rig, fi_trecv(peer, to, 8, desc[1], 0, 6, 0, begin(rig, 0)),
	       fi_tsenddata(ep, from, 8, *desc, 4, there, 6, begin(rig, 1)), 4);
	MOVES(rig, from, to, fi_writev(ep, &out, desc, 1, there, place, key, begin(rig, 0)));
	MOVES(rig, from, to, (begin(rig, 0), fi_writemsg(ep, &access, 0)));
	MOVES(rig, to, from, fi_readv(ep, &out, desc, 1, there, place, key, begin(rig, 0)));
	memcpy(to, "VARIANTS", 8);
	MOVES(rig, to, from, (begin(rig, 0), fi_readmsg(ep, &access, 0)));
	if (!rig->info->tx_attr->inject_size)
		return;
	PASSES(rig, fi_recv(peer, to, 8, desc[1], FI_ADDR_UNSPEC, begin(rig, 0)),
	       fi_injectdata(ep, from, 8, 6, there), 6);
	PASSES(rig, fi_trecv(peer, to, 8, desc[1], 0, 6, 0, begin(rig, 0)),
	       fi_tinject(ep, from, 8, there, 6), 0);
	PASSES(rig, fi_trecv(peer, to, 8, desc[1], 0, 6, 0, begin(rig, 0)),
	       fi_tinjectdata(ep, from, 8, 7, there, 6), 7);
	MOVES(rig, from, to, fi_inject_write(ep, from, 8, there, place, key));
	MOVES(rig, from, to, fi_inject_writedata(ep, from, 8, 8, there, place, key));
	while (rig->told.data != 8)
		progress(rig);
}

/* What is outstanding at an endpoint vanishes with it. */
static void closing(struct rig *rig)
{
	struct fid_ep *brief;
	struct fi_msg message = {.context = &rig->contexts[3]};
	uint8_t address[32];
	size_t length = sizeof(address);
	bool cxi = rig->info->addr_format == FI_ADDR_CXI;

	OK(fi_endpoint(rig->domain, rig->info, &brief, NULL));
	OK(fi_av_lookup(rig->av, rig->handle[0], address, &length));
	CHECK(fi_setname(&brief->fid, address, length) == -FI_EADDRINUSE);
	address[length == 32 ? 23 : 3] = 1;
	OK(fi_setname(&brief->fid, address, length));
	OK(fi_ep_bind(brief, &rig->av->fid, 0));
	OK(fi_ep_bind(brief, &rig->cq->fid, FI_TRANSMIT | FI_RECV));
	OK(fi_enable(brief));
	CHECK(fi_av_insert(rig->av, address, 1, &message.addr, 0, NULL) == 1);
	REPEAT(fi_trecv(brief, NULL, 0, NULL, FI_ADDR_UNSPEC, 1, 0, begin(rig, 0)));
	REPEAT(fi_send(brief, NULL, 0, NULL, rig->handle[1], begin(rig, 1)));
	CHECK(fi_cq_read(rig->cq, NULL, 0) == -FI_EAGAIN);
	REPEAT(fi_send(brief, NULL, 0, NULL, rig->handle[1], begin(rig, 2)));
	begin(rig, 3);
	REPEAT(fi_sendmsg(rig->ep[0], &message, FI_DELIVERY_COMPLETE));
	OK(fi_close(&brief->fid));
	memset(rig->contexts, 0, 3 * sizeof(rig->contexts[0]));
	CHECK(end(rig, 3) == FI_EHOSTUNREACH);
	while (progress(rig))
		;
	CHECK(!rig->order[0] && !rig->order[1] == cxi && !rig->order[2]);
	OK(fi_av_remove(rig->av, &message.addr, 1, 0));
	for (int i = 0; i < 2; i++) {
		POST(rig, fi_recv(rig->ep[1], NULL, 0, NULL, FI_ADDR_UNSPEC,
				  begin(rig, i)));
		OK(end(rig, i));
	}
}

/* What moves no data. */
static void the_rest(struct rig *rig)
{
	uint8_t addresses[64] = "";
	fi_addr_t handles[2];
	int errors[2];
	size_t length = 32, size = rig->info->addr_format == FI_ADDR_EFA ? 32 : 8;
	char text[64], expected[64];
	struct fi_eq_attr attributes = {.size = 1};
	struct fid_eq *eq;
	struct fid_cntr *counter;
	struct fi_cntr_attr counting = {.events = FI_CNTR_EVENTS_COMP};
	struct fid_ep *fresh;
	uint32_t event;

	OK(fi_av_lookup(rig->av, rig->handle[0], addresses, &length));
	CHECK(fi_av_straddr(rig->av, addresses, text, &(size_t){sizeof(text)}) == text);
	snprintf(expected, sizeof(expected),
		 size == 32 ? "fi_addr_efa://[fd64:656d:616e:6469:6e67::]:1:%d"
			    : "fi_addr_cxi://0x%08x",
		 addresses[size == 32 ? 20 : 0]);
	CHECK(!strcmp(text, expected));
	CHECK(fi_av_insert(rig->av, addresses, 2, handles, FI_SYNC_ERR, errors) == 1);
	CHECK(!errors[0] && errors[1] == FI_EINVAL && handles[0] == 2 &&
	      handles[1] == FI_ADDR_NOTAVAIL);
	OK(fi_av_remove(rig->av, handles, 1, 0));
	OK(fi_cntr_open(rig->domain, &counting, &counter, NULL));
	OK(fi_cntr_set(counter, 4) | fi_cntr_add(counter, 3) | fi_cntr_seterr(counter, 2) |
	   fi_cntr_adderr(counter, 3));
	CHECK(fi_cntr_read(counter) == 7 && fi_cntr_readerr(counter) == 5 &&
	      fi_cntr_wait(counter, 7, 0) == -FI_ENOSYS);
	OK(fi_close(&counter->fid));
	OK(fi_eq_open(rig->fabric, &attributes, &eq, NULL));
	CHECK(fi_eq_read(eq, &event, text, sizeof(text), 0) == -FI_EAGAIN);
	OK(fi_endpoint(rig->domain, rig->info, &fresh, NULL));
	OK(fi_ep_bind(fresh, &eq->fid, 0));
	OK(fi_setopt(&fresh->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &size, sizeof(size)));
	OK(fi_getopt(&fresh->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &(size_t){0},
		     &(size_t){8}));
	OK(fi_close(&fresh->fid) | fi_close(&eq->fid));
	CHECK(!strcmp(fi_strerror(FI_ETRUNC), "Truncation error") &&
	      !strcmp(fi_strerror(5), "Input/output error"));
}

/* An endpoint whose successes are counted, and reported if that is asked for. */
static void selective(struct rig *rig)
{
	struct fid_ep *quiet;
	struct fi_msg message = {.addr = rig->handle[1]};
	uint64_t sends = fi_cntr_read(rig->sends);

	OK(fi_endpoint(rig->domain, rig->info, &quiet, NULL));
	OK(fi_ep_bind(quiet, &rig->av->fid, 0));
	OK(fi_ep_bind(quiet, &rig->cq->fid, FI_TRANSMIT | FI_SELECTIVE_COMPLETION));
	OK(fi_ep_bind(quiet, &rig->cq->fid, FI_RECV));
	OK(fi_ep_bind(quiet, &rig->sends->fid, FI_SEND));
	OK(fi_enable(quiet));
	POST(rig, fi_send(quiet, NULL, 0, NULL, rig->handle[1], begin(rig, 0)));
	message.context = begin(rig, 1);
	POST(rig, fi_sendmsg(quiet, &message, FI_COMPLETION));
	OK(end(rig, 1));
	CHECK(!rig->order[0] && fi_cntr_read(rig->sends) == sends + 2);
	for (int i = 2; i < 4; i++) {
		POST(rig, fi_recv(rig->ep[1], NULL, 0, NULL, FI_ADDR_UNSPEC, begin(rig, i)));
		OK(end(rig, i));
		CHECK(rig->source[i] == FI_ADDR_NOTAVAIL);
	}
	OK(fi_close(&quiet->fid));
}

static void *read_on(void *queue)
{
	struct fi_cq_tagged_entry entry;

	for (int i = 0; i < 10000000 && !demanding_violations(); i++)
		fi_cq_read(queue, &entry, 1);
	return NULL;
}

/* Wrong with every offer. */
static void violations(struct rig *rig, struct rig *other)
{
	struct fid_ep *ep = rig->ep[0], *fresh;
	char *memory = rig->memory[0], elsewhere[8] = "";
	void *desc = rig->desc[0], *context = begin(rig, 0);
	fi_addr_t peer = rig->handle[1], unknown = 1000;
	uint64_t base = rig->base[1], key = fi_mr_key(rig->mr[1]);
	struct iovec parts[3] = {{memory, 1}, {memory, 1}, {memory, 1}};
	struct fi_msg message = {
		.msg_iov = parts, .desc = &desc, .iov_count = 1, .addr = peer, .context = context};
	struct fi_rma_iov place = {base, 2, key};
	struct fi_msg_rma access = {.msg_iov = parts,
				    .desc = &desc,
				    .iov_count = 1,
				    .addr = peer,
				    .rma_iov = &place,
				    .context = context};
	struct fi_av_attr map = {.type = FI_AV_MAP};
	struct fid_av *vector;
	struct fid_mr *region;
	pthread_t thread;

	WRONG(fi_send(ep, memory, 8, desc, peer, NULL), "context is NULL");
	WRONG(fi_send(ep, memory, 8, desc, peer, (char *)context + 4), "not aligned");
	WRONG(fi_send(ep, memory, 8, NULL, peer, context), "no descriptor, and");
	WRONG(fi_send(ep, memory, 8, other->desc[0], peer, context),
	      "no descriptor of this domain");
	WRONG(fi_send(ep, elsewhere, 8, desc, peer, context), "outside of the region");
	WRONG(fi_send(ep, memory + SIZE - 7, 8, desc, peer, context), "outside of the region");
	WRONG(fi_recv(ep, memory + SIZE - 7, 8, desc, 0, context), "outside of the region");
	WRONG(fi_send(ep, memory, (1 << 20) + 1, desc, peer, context), "max_msg_size");
	WRONG(fi_send(ep, memory, 8, desc, unknown, context), "names no entry");
	WRONG(fi_sendv(ep, parts, rig->desc, 3, peer, context), "3 pieces");
	WRONG(fi_sendmsg(ep, &message, UINT64_C(1) << 40), "unknown flags");
	WRONG(fi_recvmsg(ep, &message, FI_INJECT), "unknown flags");
	demanding_reset();
	CHECK(fi_recvmsg(ep, &message, FI_MULTI_RECV) == -FI_EBADFLAGS && !demanding_violation());
	WRONG(fi_inject(ep, memory, 33, peer), "inject_size");
	WRONG(fi_writev(ep, parts, rig->desc, 1, peer, base, 0, NULL), "context is NULL");
	WRONG(fi_writemsg(ep, &access, 0), "0 places");
	access.rma_iov_count = 1;
	WRONG(fi_writemsg(ep, &access, 0), "2 bytes there and 1 here");
	WRONG(fi_sendv(ep, NULL, rig->desc, 1, peer, context), "pieces at NULL");
	WRONG(fi_av_remove(rig->av, &unknown, 1, 0), "names no entry");
	WRONG(fi_av_open(rig->domain, &map, &vector, NULL), "not offered");
	WRONG(fi_mr_reg(rig->domain, memory, 8, FI_SEND, 1, 0, 0, &region, NULL),
	      "offset is reserved");
	WRONG(fi_mr_reg(rig->domain, (void *)4096, 8, FI_SEND, 0, 0, 0, &region, NULL),
	      "no memory has");
	WRONG(fi_mr_reg(rig->domain, memory, 8, 0, 0, 0, 0, &region, NULL), "access");
	WRONG(fi_close(&rig->cq->fid), "use the cq");
	WRONG(fi_close(&rig->domain->fid), "use the domain");
	WRONG(fi_ep_bind(ep, &rig->av->fid, 0), "is enabled");
	/* What the peer has not. */
	POST(rig, fi_write(ep, memory, 8, desc, peer, base, key + 1, begin(rig, 0)));
	noticed(__LINE__, "no region with key");
	CHECK(end(rig, 0) == FI_EKEYREJECTED);
	POST(rig, fi_write(ep, memory, 8, desc, peer, base + SIZE - 7, key, begin(rig, 0)));
	noticed(__LINE__, "outside of the region");
	CHECK(end(rig, 0) == FI_EACCES);
	OK(fi_mr_reg(rig->domain, rig->memory[1], 8, FI_REMOTE_READ, 0, 0, 0, &region, NULL));
	if (rig->info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
		WRONG(fi_mr_bind(region, &rig->ep[1]->fid, 1), "unknown flags");
		OK(fi_mr_bind(region, &rig->ep[1]->fid, 0) | fi_mr_enable(region));
	}
	POST(rig, fi_write(ep, memory, 8, desc, peer, base, fi_mr_key(region), begin(rig, 0)));
	noticed(__LINE__, "the region has access");
	CHECK(end(rig, 0) == FI_EACCES);
	OK(fi_close(&region->fid));
	/* While an operation is outstanding. */
	POST(rig, fi_recv(rig->ep[1], rig->memory[1], 8, rig->desc[1], 0, begin(rig, 1)));
	WRONG(fi_send(ep, memory, 8, desc, peer, &rig->contexts[1]), "outstanding operation");
	WRONG(fi_close(&rig->mr[1]->fid), "in use by operations");
	POST(rig, fi_send(ep, memory, 8, desc, peer, begin(rig, 0)));
	WRONG(fi_av_remove(rig->av, &peer, 1, 0), "outstanding");
	memory[0]++;
	rig->contexts[1].internal[3] = NULL;
	OK(end(rig, 0) | end(rig, 1));
	CHECK(demanding_violations() == 2);
	noticed(__LINE__, "somebody wrote to the memory");
	/* An endpoint that is not enabled, and one that is closed. */
	OK(fi_endpoint(rig->domain, rig->info, &fresh, NULL));
	WRONG(fi_send(fresh, memory, 8, desc, peer, context), "not enabled");
	WRONG(fi_enable(fresh), "no vector");
	WRONG(fi_ep_bind(fresh, &other->av->fid, 0), "another domain");
	OK(fi_close(&fresh->fid));
	WRONG(fi_send(fresh, memory, 8, desc, peer, context), "is closed");
	WRONG(fi_close(&fresh->fid), "is closed");
	pthread_create(&thread, NULL, read_on, rig->cq);
	read_on(rig->cq);
	pthread_join(thread, NULL);
	noticed(__LINE__, "another thread");
}

#define VERSION FI_VERSION(1, 17)
#define WRONG_INFO(change, why) \
	do { \
		struct fi_info *info = fi_dupinfo(rig->info); \
		change; \
		WRONG(fi_endpoint(rig->domain, info, &ep, NULL), why); \
		fi_freeinfo(info); \
	} while (0)
#define WRONG_HINTS(change, why) \
	do { \
		struct fi_info *hints = hints_for("efa"); \
		change; \
		WRONG(fi_getinfo(VERSION, NULL, NULL, 0, hints, &found), why); \
		CHECK(!found); \
		fi_freeinfo(hints); \
	} while (0)

/* Calls that open, bind and look, one for each rule. */
static void wrong_arguments(struct rig *rig)
{
	struct fid_domain *domain = rig->domain;
	struct fid_ep *ep;
	struct fid_cq *cq;
	struct fid_cntr *counter;
	struct fid_av *av;
	struct fid_mr *mr;
	struct fid_eq *eq;
	struct fi_info *found;
	struct iovec part = {rig->memory[0], 8};
	struct fi_mr_attr region = {.mr_iov = &part, .iov_count = 1, .access = FI_SEND};
	struct fid *nothing = &rig->sends->fid;
	char room[64];
	size_t length = 4;

	WRONG_HINTS(hints->mode |= FI_MSG_PREFIX, "more than FI_CONTEXT");
	WRONG_HINTS(hints->tx_attr->mode = FI_LOCAL_MR, "more than FI_CONTEXT");
	WRONG_HINTS(hints->domain_attr->mr_mode |= 1, "FI_MR_BASIC");
	WRONG_HINTS(hints->domain_attr->mr_mode |= 1 << 12, "unknown mr_mode");
	WRONG_HINTS(hints->handle = nothing, "nothing listens");
	WRONG_HINTS(hints->src_addrlen = 3, "src_addr without length");
	WRONG_HINTS(hints->dest_addrlen = 3, "dest_addr without length");
	WRONG(fi_getinfo(FI_VERSION(1, 4), NULL, NULL, 0, NULL, &found), "older");
	WRONG(fi_getinfo(VERSION, NULL, NULL, FI_SOURCE, NULL, &found), "without node");
	WRONG(fi_getinfo(VERSION, NULL, NULL, FI_SEND, NULL, &found), "unknown flags");
	WRONG_INFO(info->ep_attr->type = FI_EP_DGRAM, "endpoint type");
	WRONG_INFO(info->domain_attr->name[0] = 'p', "another domain");
	WRONG_INFO(info->caps |= FI_ATOMIC, "capabilities");
	WRONG_INFO(info->mode = 0, "lacks what is demanded");
	WRONG_INFO(info->tx_attr->size = 5, "5 operations");
	WRONG_INFO(info->tx_attr->inject_size = 33, "inject_size is 33");
	WRONG_INFO(info->rx_attr->iov_limit = 3, "iov_limit");
	WRONG_INFO(info->tx_attr->op_flags = FI_FENCE, "op_flags");
	WRONG_INFO(info->ep_attr->rx_ctx_cnt = 2, "more than one context");
	WRONG(fi_cq_open(domain, &(struct fi_cq_attr){.format = 9}, &cq, NULL), "unknown format");
	WRONG(fi_cq_open(domain, &(struct fi_cq_attr){.wait_cond = FI_CQ_COND_THRESHOLD}, &cq,
			 NULL),
	      "condition");
	WRONG(fi_cq_open(domain, &(struct fi_cq_attr){.signaling_vector = 1}, &cq, NULL),
	      "signaling_vector");
	WRONG(fi_cq_open(domain, &(struct fi_cq_attr){.flags = FI_PEER}, &cq, NULL),
	      "unknown flags");
	WRONG(fi_cntr_open(domain, &(struct fi_cntr_attr){.events = 7}, &counter, NULL),
	      "unknown events");
	WRONG(fi_cntr_open(domain, &(struct fi_cntr_attr){.flags = 1}, &counter, NULL),
	      "unknown flags");
	WRONG(fi_cntr_open(domain, NULL, &counter, NULL), "NULL");
	WRONG(fi_eq_open(rig->fabric, &(struct fi_eq_attr){.flags = 1}, &eq, NULL),
	      "unknown flags");
	WRONG(fi_eq_open(rig->fabric, NULL, &eq, NULL), "NULL");
	WRONG(fi_av_open(domain, &(struct fi_av_attr){.rx_ctx_bits = 2}, &av, NULL), "rx_ctx_bits");
	WRONG(fi_av_open(domain, &(struct fi_av_attr){.name = "shared"}, &av, NULL), "has a name");
	WRONG(fi_av_open(domain, &(struct fi_av_attr){.flags = FI_READ}, &av, NULL),
	      "unknown flags");
	WRONG(fi_av_insert(rig->av, room, 1, NULL, FI_SYNC_ERR, NULL), "without memory for errors");
	WRONG(fi_av_insert(rig->av, NULL, 1, NULL, 0, NULL), "addresses at NULL");
	WRONG(fi_av_remove(rig->av, NULL, 1, 0), "handles at NULL");
	WRONG(fi_av_insert(rig->av, room, 1, NULL, FI_READ, NULL), "unknown flags");
	WRONG(fi_av_remove(rig->av, &rig->handle[0], 1, FI_READ), "unknown flags");
	WRONG(fi_av_lookup(rig->av, 1000, room, &length), "names no entry");
	WRONG(fi_av_lookup(rig->av, rig->handle[0], room, NULL), "addrlen is NULL");
	WRONG(fi_av_lookup(rig->av, rig->handle[0], NULL, &length), "addr is NULL");
	WRONG(fi_mr_regv(domain, &part, 2, FI_SEND, 0, 0, 0, &mr, NULL), "iov_count");
	WRONG(fi_mr_regattr(domain, &region, FI_READ, &mr), "unknown flags");
	region.iface = FI_HMEM_CUDA;
	WRONG(fi_mr_regattr(domain, &region, 0, &mr), "iface");
	region.iface = FI_HMEM_SYSTEM;
	region.auth_key_size = 1;
	WRONG(fi_mr_regattr(domain, &region, 0, &mr), "no keys");
	WRONG(fi_mr_regattr(domain, NULL, 0, &mr), "NULL");
	WRONG(fi_trywait(rig->fabric, &nothing, 1), "no queue with a descriptor");
	WRONG(fi_trywait(rig->fabric, NULL, 1), "1 objects at");
	WRONG(fi_control(&rig->cq->fid, FI_GETWAIT, NULL), "NULL");
	WRONG(fi_cq_read(rig->cq, NULL, 1), "completions to NULL");
	WRONG(fi_cq_readfrom(rig->cq, room, 1, NULL), "sources to NULL");
	WRONG(fi_cq_readerr(rig->cq, NULL, 0), "entry is NULL");
	WRONG(fi_cq_readerr(rig->cq, (void *)room, 1), "unknown flags");
	WRONG(fi_cq_readerr(rig->cq, &(struct fi_cq_err_entry){.err_data_size = 4}, 0),
	      "error data to NULL");
	OK(fi_endpoint(domain, rig->info, &ep, NULL));
	WRONG(fi_getname(&ep->fid, room, &length), "not enabled");
	WRONG(fi_setname(&ep->fid, room, 5), "5 bytes");
	WRONG(fi_ep_bind(ep, NULL, 0), "NULL");
	WRONG(fi_ep_bind(ep, &rig->av->fid, 1), "unknown flags");
	WRONG(fi_ep_bind(ep, &rig->cq->fid, 0), "flags are");
	WRONG(fi_ep_bind(ep, &rig->sends->fid, FI_REMOTE_WRITE), "flags are");
	OK(fi_ep_bind(ep, &rig->sends->fid, FI_READ) | fi_ep_bind(ep, &rig->av->fid, 0));
	WRONG(fi_ep_bind(ep, &rig->sends->fid, FI_READ | FI_SEND), "has a counter");
	WRONG(fi_ep_bind(ep, &rig->av->fid, 0), "has a vector");
	WRONG(fi_enable(ep), "what it transmits");
	OK(fi_ep_bind(ep, &rig->cq->fid, FI_TRANSMIT));
	WRONG(fi_ep_bind(ep, &rig->cq->fid, FI_TRANSMIT), "has a queue");
	WRONG(fi_enable(ep), "what it receives");
	WRONG(fi_setopt(&ep->fid, 9, 0, room, 8), "unknown level");
	WRONG(fi_setopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, room, 4), "4 bytes");
	WRONG(fi_getopt(&ep->fid, 9, 0, room, &length), "unknown level");
	WRONG(fi_cancel(&ep->fid, NULL), "NULL");
	WRONG(fi_enable(rig->ep[0]), "is enabled");
	WRONG(fi_setname(&rig->ep[0]->fid, room, 8), "is enabled");
	OK(fi_close(&ep->fid));
}

/* An endpoint that can send and receive messages, no more, and did not ask for their source. */
static void limited(struct rig *rig)
{
	struct fi_info *info = fi_dupinfo(rig->info);
	struct fid_ep *ep;
	uint8_t address[32];
	size_t length = sizeof(address);
	fi_addr_t itself;

	info->caps = FI_MSG | FI_SEND | FI_RECV;
	OK(fi_endpoint(rig->domain, info, &ep, NULL));
	fi_freeinfo(info);
	OK(fi_ep_bind(ep, &rig->av->fid, 0) | fi_ep_bind(ep, &rig->cq->fid, FI_TRANSMIT | FI_RECV));
	OK(fi_enable(ep) | fi_getname(&ep->fid, address, &length));
	CHECK(fi_av_insert(rig->av, address, 1, &itself, 0, NULL) == 1);
	POST(rig, fi_recv(ep, NULL, 0, NULL, FI_ADDR_UNSPEC, begin(rig, 0)));
	POST(rig, fi_send(ep, NULL, 0, NULL, itself, begin(rig, 1)));
	OK(end(rig, 0) | end(rig, 1));
	CHECK(rig->source[0] == UINT64_C(0xDEADBEEFDEADBEEF) &&
	      rig->ended[1].len == rig->source[0]);
	CHECK(!demanding_violation());
	WRONG(fi_tsend(ep, NULL, 0, NULL, itself, 1, begin(rig, 0)), "has capabilities");
	POST(rig, fi_write(rig->ep[0], NULL, 0, NULL, itself, 0, 0, begin(rig, 0)));
	noticed(__LINE__, "lets nobody do that");
	CHECK(end(rig, 0) == FI_EACCES);
	OK(fi_close(&ep->fid) | fi_av_remove(rig->av, &itself, 1, 0));
}

static void violations_of_efa(struct rig *rig)
{
	struct fid_mr *region;
	struct fi_info *info;

	OK(fi_mr_reg(rig->domain, rig->memory[0], 8, FI_RECV, 0, 0, 0, &region, NULL));
	WRONG(fi_send(rig->ep[0], rig->memory[0], 8, fi_mr_desc(region), rig->handle[1],
		      begin(rig, 0)),
	      "access");
	WRONG(fi_mr_bind(region, &rig->ep[0]->fid, 0), "belongs to its domain");
	OK(fi_close(&region->fid));
	WRONG(fi_senddata(rig->ep[0], rig->memory[0], 8, rig->desc[0], UINT64_C(1) << 32,
			  rig->handle[1], begin(rig, 0)),
	      "more than 32 bits");
	info = fi_dupinfo(rig->info);
	fi_freeinfo(info);
	fi_freeinfo(info);
	noticed(__LINE__, "not an info");
	OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, NULL, &info));
	CHECK(!strcmp(info->next->next->domain_attr->name, "prefix"));
	WRONG(fi_domain(rig->fabric, info->next->next, &rig->domain, NULL), "prefix");
	info->domain_attr->mr_mode = 0;
	WRONG(fi_domain(rig->fabric, info, &rig->domain, NULL), "mr_mode");
	fi_freeinfo(info);
}

static void violations_of_cxi(struct rig *rig)
{
	struct fid_mr *region;
	void *context = begin(rig, 0);

	WRONG(fi_inject(rig->ep[0], "", 0, rig->handle[1]), "inject_size");
	WRONG(fi_send(rig->ep[0], rig->memory[1], 8, rig->desc[1], rig->handle[1], context),
	      "another endpoint");
	OK(fi_mr_reg(rig->domain, rig->memory[0], 8, FI_SEND, 0, 0, 0, &region, NULL));
	WRONG(fi_send(rig->ep[0], rig->memory[0], 8, region->mem_desc, rig->handle[1], context),
	      "no descriptor");
	WRONG(fi_mr_enable(region), "belongs to no endpoint");
	WRONG(fi_mr_bind(region, &rig->av->fid, 0), "no endpoint of this domain");
	WRONG(fi_mr_bind(rig->mr[0], &rig->ep[0]->fid, 0), "belongs to an endpoint");
	WRONG(fi_mr_enable(rig->mr[0]), "is enabled");
	OK(fi_close(&region->fid));
	WRONG(fi_close(&rig->ep[0]->fid), "use the ep");
}

static void offers(void)
{
	struct fi_info *hints = hints_for("efa"), *info;

	hints->mode = FI_CONTEXT;
	CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info) == -FI_ENODATA && !info);
	CHECK(fi_getinfo(FI_VERSION(1, 18), NULL, NULL, 0, hints, &info) == -FI_ENOSYS);
	hints->mode |= FI_CONTEXT2;
	free(hints->domain_attr->name);
	hints->domain_attr->name = NULL;
	OK(fi_getinfo(FI_VERSION(1, 17), "77", NULL, 0, hints, &info));
	CHECK(!strcmp(info->domain_attr->name, "efa") &&
	      !strcmp(info->next->domain_attr->name, "cxi"));
	CHECK(!info->next->next && info->dest_addrlen == 32 &&
	      ((char *)info->next->dest_addr)[0] == 77);
	CHECK(demanding_live("info") == 3);
	fi_freeinfo(info);
	hints->domain_attr->mr_mode &= ~FI_MR_ENDPOINT;
	OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	CHECK(!info->next);
	fi_freeinfo(info);
	hints->caps = FI_MSG;
	hints->ep_attr->type = FI_EP_UNSPEC;
	demanding_offer_prefix(true);
	OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	CHECK(info->next->mode == FI_MSG_PREFIX && !(info->caps & FI_SOURCE) &&
	      info->caps & FI_SEND);
	demanding_reset();
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

int main(void)
{
	static const char *const names[] = {"efa", "cxi"};
	static const char *const kinds[] = {"fabric", "domain", "ep", "av",  "cq",
					    "cntr",   "eq",	"mr", "info"};

	setvbuf(stdout, NULL, _IOLBF, 0);
	unsetenv("DEMANDING_FAIL_EVERY");
	offers();
	for (int i = 0; i < 2; i++) {
		open_rig(&rigs[i], names[i]);
		printf("%s: all is done right\n", names[i]);
		messages(&rigs[i]);
		searches(&rigs[i]);
		directed(&rigs[i]);
		remote_access(&rigs[i]);
		variants(&rigs[i]);
		failures(&rigs[i]);
		waiting(&rigs[i]);
		selective(&rigs[i]);
		closing(&rigs[i]);
		the_rest(&rigs[i]);
		CHECK(!demanding_violation());
		CHECK(demanding_live("ep") == 2 * (i + 1) && demanding_live("mr") == 2 * (i + 1));
	}
	for (int i = 0; i < 2; i++) {
		printf("%s: what is wrong is noticed, on standard error\n", names[i]);
		violations(&rigs[i], &rigs[1 - i]);
		wrong_arguments(&rigs[i]);
		limited(&rigs[i]);
	}
	violations_of_efa(&rigs[0]);
	violations_of_cxi(&rigs[1]);
	for (int i = 0; i < 2; i++)
		close_rig(&rigs[i]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK(demanding_live(kinds[i]) == 0);
	CHECK(!demanding_violation());
	puts("passed");
	return 0;
}
