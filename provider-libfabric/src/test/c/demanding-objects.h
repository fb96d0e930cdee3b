/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libdemanding.so share: its objects, its lock and its complaints.
 *
 * An object begins with a head, followed by the struct of libfabric that its user has. A closed
 * object stays in memory, so that who uses it still is told. One lock guards everything.
 */
#ifndef DEMANDING_OBJECTS_H
#define DEMANDING_OBJECTS_H

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/uio.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "demanding.h"

#pragma GCC visibility push(hidden)

#define IOV_LIMIT 2
#define TX_SIZE 4
#define RX_SIZE 8
#define MAX_MESSAGE ((size_t)1 << 20)
#define MAX_ADDRESS 32

#define DIRECTIONS (FI_SEND | FI_RECV | FI_READ | FI_WRITE)
#define REMOTE (FI_REMOTE_READ | FI_REMOTE_WRITE)
#define TX_FLAGS \
	(FI_COMPLETION | FI_MORE | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | \
	 FI_DELIVERY_COMPLETE)
#define RX_FLAGS (FI_COMPLETION | FI_MORE)
/* Of tagged receives that name their flags. */
#define SEARCH_FLAGS (FI_PEEK | FI_CLAIM | FI_DISCARD)

/* One of the three domains that there are. */
struct offer {
	const char *domain;
	enum fi_ep_type type;
	uint32_t protocol;
	uint32_t addr_format;
	size_t addr_length;
	uint64_t caps;
	uint64_t mode;
	size_t context_size;
	int mr_mode;
	size_t inject_size;
	size_t rma_iov_limit;
	size_t data_size;
};

struct head {
	const char *what;
	TAILQ_ENTRY(head) link;
	struct head *owner;
	struct domain *domain;
	int users;
	bool open;
};

struct fabric {
	struct head head;
	struct fid_fabric fid;
};

struct domain {
	struct head head;
	struct fid_domain fid;
	const struct offer *offer;
	enum fi_threading threading;
	atomic_bool inside;
	/* How often something was read that moves data. */
	uint64_t reads;
};

struct entry {
	uint8_t address[MAX_ADDRESS];
	bool used;
	/* Nobody was there when the domain had been read so often. */
	bool absent;
	uint64_t absent_since;
};

struct vector {
	struct head head;
	struct fid_av fid;
	struct entry *entries;
	size_t size;
	/* No index below is free. */
	size_t lowest;
};

struct queue {
	struct head head;
	struct fid_cq fid;
	enum fi_cq_format format;
	int descriptor;
	char error_data[16];
};

struct counter {
	struct head head;
	struct fid_cntr fid;
	uint64_t value;
	uint64_t errors;
};

struct events {
	struct head head;
	struct fid_eq fid;
};

struct region {
	struct head head;
	struct fid_mr fid;
	struct endpoint *endpoint;
	uint64_t base;
	size_t length;
	uint64_t access;
	uint64_t key;
	void *desc;
	bool enabled;
};

struct endpoint {
	struct head head;
	struct fid_ep fid;
	const struct offer *offer;
	uint32_t number;
	bool enabled;
	uint64_t caps;
	uint64_t tx_flags, rx_flags;
	struct queue *tx, *rx;
	bool tx_selective, rx_selective;
	struct vector *vector;
	struct events *events;
	/* In the order of the bits: FI_READ, FI_WRITE, FI_RECV, FI_SEND. */
	struct counter *counters[4];
	unsigned int posts;
	size_t least_multi_recv;
	TAILQ_HEAD(messages, message) unexpected;
	/* Put aside, each for a context. */
	struct messages claimed;
};

#define COUNTER_OF(endpoint, direction) ((endpoint)->counters[__builtin_ctzll(direction) - 8])

#define HEAD(fid) ((struct head *)(fid) - 1)
#define OF(type, pointer) ((struct type *)(void *)((char *)(pointer) - offsetof(struct type, fid)))

/* The arguments of any call that posts. */
struct request {
	/* FI_MSG, FI_TAGGED or FI_RMA, and one of the directions. */
	uint64_t what;
	uint64_t flags;
	/* The flags of the endpoint count as well. */
	bool plain;
	/* One of the calls with inject in their name: no context, a completion if it fails. */
	bool silent;
	const struct iovec *iov;
	void **desc;
	size_t count;
	fi_addr_t peer;
	uint64_t tag, ignore, data;
	const struct fi_rma_iov *places;
	size_t place_count;
	void *context;
};

TAILQ_HEAD(heads, head);

/* demanding.c */
/* Those that are open. */
extern struct heads objects;
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t random_number(void);
void *create(size_t size, const char *what, size_t fclass, struct fid *owner, void *context);
void *known(const struct fid *fid, size_t fclass, const struct domain *domain);
void bury(struct head *head);
ssize_t not_there(void);

/* For a function that this library has not. */
#define NOT_THERE ((void *)not_there)

#define CREATE(type, what, fclass, owner, context) \
	create(sizeof(struct type), what, fclass, owner, context)

struct guard {
	struct domain *domain;
	bool open;
};

struct guard enter(struct fid *fid, const char *call);
void leave(struct guard *guard);

/* Holds the lock until the function returns, and checks who calls; fid may be NULL. */
#define GUARD(fid, call, otherwise) \
	struct guard guard __attribute__((cleanup(leave))) = enter(fid, call); \
	if (!guard.open) \
		return otherwise

#define REFUSE(error, ...) \
	do { \
		complain(__VA_ARGS__); \
		return -(error); \
	} while (0)

#define DEMAND(condition, error, ...) \
	do { \
		if (!(condition)) \
			REFUSE(error, __VA_ARGS__); \
	} while (0)

#define ALLOW(allowed, flags) \
	DEMAND(!((flags) & ~(uint64_t)(allowed)), FI_EBADFLAGS, "unknown flags 0x%" PRIx64, \
	       (flags) & ~(uint64_t)(allowed))

struct region *region_of(const struct domain *domain, const void *desc, uint64_t key);
void wake(struct queue *queue);

/* demanding-endpoint.c */
uint32_t read_address(const struct offer *offer, const uint8_t *address);
void write_address(const struct offer *offer, uint32_t number, uint8_t *address);
int av_open(struct fid_domain *fid, struct fi_av_attr *attr, struct fid_av **av, void *context);
int close_vector(struct vector *vector);
struct entry *entry_of(struct vector *vector, fi_addr_t handle);
int ep_open(struct fid_domain *fid, struct fi_info *info, struct fid_ep **ep, void *context);
int bind_endpoint(struct endpoint *endpoint, struct fid *fid, uint64_t flags);
int enable_endpoint(struct endpoint *endpoint);
int close_endpoint(struct endpoint *endpoint);
struct endpoint *endpoint_of(const struct offer *offer, uint32_t number);

/* demanding-info.c */
const struct offer *offer_of(const struct fi_info *info);
long live_infos(void);

/* demanding-calls.c */
extern struct fi_ops_msg msg_ops;
extern struct fi_ops_tagged tagged_ops;
extern struct fi_ops_rma rma_ops;

/* demanding-transfer.c */
extern struct fi_ops_cq cq_ops;
ssize_t post(struct fid_ep *fid, const char *call, const struct request *request);
void fail_every(int n);
ssize_t cancel(struct endpoint *endpoint, void *context);
void complete_sends(struct queue *queue, struct counter *counter);
bool has_news(const struct queue *queue);
bool is_addressed(const struct vector *vector, fi_addr_t handle);
bool is_accessed(const struct region *region);
void drop_operations(struct endpoint *endpoint);
void drop_completions(struct queue *queue);

static inline size_t total(const struct iovec *iov, size_t count)
{
	size_t length = 0;

	for (size_t i = 0; i < count; i++)
		length += iov[i].iov_len;
	return length;
}

#pragma GCC visibility pop

#endif
