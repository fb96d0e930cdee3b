/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address vectors and endpoints of libdemanding.so: who has which address, who may transfer.
 *
 * The address of an endpoint is a number, in the first half of a CXI address, or as the queue key
 * of an EFA address whose other bytes never change. A vector takes any address but zero bytes.
 */
#include <arpa/inet.h>

#include "demanding-objects.h"

static uint32_t last_number;

/* ---- Addresses ---- */

void write_address(const struct offer *offer, uint32_t number, uint8_t *address)
{
	static const uint8_t gid[] = {0xfd, 'd', 'e', 'm', 'a', 'n', 'd', 'i', 'n', 'g'};
	const uint16_t pair = 1;

	memset(address, 0, offer->addr_length);
	if (offer->addr_format == FI_ADDR_EFA) {
		memcpy(address, gid, sizeof(gid));
		memcpy(address + 16, &pair, 2);
		memcpy(address + 20, &number, 4);
	} else {
		memcpy(address, &number, 4);
	}
}

/* 0 if no endpoint can have it. */
uint32_t read_address(const struct offer *offer, const uint8_t *address)
{
	uint8_t expected[MAX_ADDRESS];
	uint32_t number;

	memcpy(&number, address + (offer->addr_format == FI_ADDR_EFA ? 20 : 0), 4);
	write_address(offer, number, expected);
	return memcmp(expected, address, offer->addr_length) ? 0 : number;
}

struct endpoint *endpoint_of(const struct offer *offer, uint32_t number)
{
	struct head *head;

	TAILQ_FOREACH(head, &objects, link) {
		struct endpoint *endpoint = (void *)head;

		if (endpoint->fid.fid.fclass == FI_CLASS_EP && endpoint->offer == offer &&
		    endpoint->number == number)
			return endpoint;
	}
	return NULL;
}

/* ---- Address vectors ---- */

struct entry *entry_of(struct vector *vector, fi_addr_t handle)
{
	return handle < vector->size && vector->entries[handle].used ? &vector->entries[handle]
								     : NULL;
}

/* The lowest index that is free. */
static size_t free_index(struct vector *vector)
{
	size_t size = vector->size;

	while (vector->lowest < size && vector->entries[vector->lowest].used)
		vector->lowest++;
	if (vector->lowest == size) {
		vector->size = size ? 2 * size : 16;
		vector->entries = realloc(vector->entries, vector->size * sizeof(struct entry));
		memset(&vector->entries[size], 0, (vector->size - size) * sizeof(struct entry));
	}
	return vector->lowest;
}

static int av_insert(struct fid_av *fid, const void *addresses, size_t count, fi_addr_t *handles,
		     uint64_t flags, void *context)
{
	struct vector *vector = OF(vector, fid);
	const struct offer *offer;
	static const uint8_t nobody[MAX_ADDRESS];
	int inserted = 0;

	GUARD(&fid->fid, "fi_av_insert", -FI_EBADF);
	offer = vector->head.domain->offer;
	ALLOW(FI_MORE | FI_SYNC_ERR, flags);
	DEMAND(!(flags & FI_SYNC_ERR) || context, FI_EINVAL,
	       "FI_SYNC_ERR without memory for errors");
	DEMAND(addresses || !count, FI_EINVAL, "%zu addresses at NULL", count);
	for (size_t i = 0; i < count; i++) {
		const uint8_t *address = (const uint8_t *)addresses + i * offer->addr_length;
		bool fine = memcmp(address, nobody, offer->addr_length);
		size_t index = FI_ADDR_NOTAVAIL;

		if (fine) {
			index = free_index(vector);
			vector->entries[index] = (struct entry){.used = true};
			memcpy(vector->entries[index].address, address, offer->addr_length);
			inserted++;
		}
		if (handles)
			handles[i] = index;
		if (flags & FI_SYNC_ERR)
			((int *)context)[i] = fine ? 0 : FI_EINVAL;
	}
	return inserted;
}

static int av_remove(struct fid_av *fid, fi_addr_t *handles, size_t count, uint64_t flags)
{
	struct vector *vector = OF(vector, fid);

	GUARD(&fid->fid, "fi_av_remove", -FI_EBADF);
	ALLOW(0, flags);
	DEMAND(handles || !count, FI_EINVAL, "%zu handles at NULL", count);
	for (size_t i = 0; i < count; i++) {
		struct entry *entry = entry_of(vector, handles[i]);

		DEMAND(entry, FI_EINVAL, "handle %" PRIu64 " names no entry", handles[i]);
		DEMAND(!is_addressed(vector, handles[i]), FI_EBUSY,
		       "operations to handle %" PRIu64 " are outstanding", handles[i]);
		entry->used = false;
		if (handles[i] < vector->lowest)
			vector->lowest = handles[i];
	}
	return 0;
}

static int av_lookup(struct fid_av *fid, fi_addr_t handle, void *address, size_t *length)
{
	struct entry *entry;
	size_t room;

	GUARD(&fid->fid, "fi_av_lookup", -FI_EBADF);
	DEMAND(length, FI_EINVAL, "addrlen is NULL");
	DEMAND(address || !*length, FI_EINVAL, "addr is NULL");
	entry = entry_of(OF(vector, fid), handle);
	DEMAND(entry, FI_EINVAL, "handle %" PRIu64 " names no entry", handle);
	room = *length;
	*length = guard.domain->offer->addr_length;
	memcpy(address, entry->address, room < *length ? room : *length);
	return 0;
}

static const char *av_straddr(struct fid_av *fid, const void *address, char *text, size_t *length)
{
	char gid[INET6_ADDRSTRLEN];
	uint32_t word;
	uint16_t pair;

	GUARD(&fid->fid, "fi_av_straddr", NULL);
	if (!address || !length || (!text && *length)) {
		complain("an argument is NULL");
		return NULL;
	}
	if (guard.domain->offer->addr_format == FI_ADDR_EFA) {
		inet_ntop(AF_INET6, address, gid, sizeof(gid));
		memcpy(&pair, (const char *)address + 16, 2);
		memcpy(&word, (const char *)address + 20, 4);
		*length = 1 + snprintf(text, *length, "fi_addr_efa://[%s]:%u:%u", gid, pair, word);
	} else {
		memcpy(&word, address, 4);
		*length = 1 + snprintf(text, *length, "fi_addr_cxi://0x%08" PRIx32, word);
	}
	return text;
}

int close_vector(struct vector *vector)
{
	free(vector->entries);
	vector->entries = NULL;
	vector->size = 0;
	return 0;
}

static struct fi_ops_av av_ops = {
	.size = sizeof(av_ops), .insert = av_insert, .insertsvc = NOT_THERE, .insertsym = NOT_THERE,
	.remove = av_remove, .lookup = av_lookup, .straddr = av_straddr, .av_set = NOT_THERE};

int av_open(struct fid_domain *fid, struct fi_av_attr *attr, struct fid_av **av, void *context)
{
	struct vector *vector;

	GUARD(&fid->fid, "fi_av_open", -FI_EBADF);
	DEMAND(attr && av, FI_EINVAL, "an argument is NULL");
	DEMAND(attr->type == FI_AV_UNSPEC || attr->type == FI_AV_TABLE, FI_EINVAL,
	       "type %d is not offered", attr->type);
	DEMAND(!attr->rx_ctx_bits, FI_EINVAL, "rx_ctx_bits is %d, there are no contexts",
	       attr->rx_ctx_bits);
	DEMAND(!attr->name && !attr->map_addr, FI_EINVAL,
	       "no vector has a name or memory of its own");
	ALLOW(0, attr->flags);
	attr->type = FI_AV_TABLE;
	vector = CREATE(vector, "av", FI_CLASS_AV, &fid->fid, context);
	vector->fid.ops = &av_ops;
	*av = &vector->fid;
	return 0;
}

/* ---- Endpoints ---- */

static int bind_queue(struct endpoint *endpoint, struct queue *queue, uint64_t flags)
{
	DEMAND(flags & (FI_TRANSMIT | FI_RECV) &&
		       !(flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION)),
	       FI_EBADFLAGS, "flags are 0x%" PRIx64, flags);
	DEMAND(!(flags & FI_TRANSMIT && endpoint->tx) && !(flags & FI_RECV && endpoint->rx),
	       FI_EINVAL, "the endpoint has a queue for that");
	if (flags & FI_TRANSMIT) {
		endpoint->tx = queue;
		endpoint->tx_selective = flags & FI_SELECTIVE_COMPLETION;
		queue->head.users++;
	}
	if (flags & FI_RECV) {
		endpoint->rx = queue;
		endpoint->rx_selective = flags & FI_SELECTIVE_COMPLETION;
		queue->head.users++;
	}
	return 0;
}

static int bind_counter(struct endpoint *endpoint, struct counter *counter, uint64_t flags)
{
	DEMAND(flags && !(flags & ~DIRECTIONS), FI_EBADFLAGS, "flags are 0x%" PRIx64, flags);
	for (uint64_t direction = FI_READ; direction <= FI_SEND; direction <<= 1) {
		DEMAND(!(flags & direction && COUNTER_OF(endpoint, direction)), FI_EINVAL,
		       "the endpoint has a counter for 0x%" PRIx64, direction);
	}
	for (uint64_t direction = FI_READ; direction <= FI_SEND; direction <<= 1) {
		if (flags & direction) {
			COUNTER_OF(endpoint, direction) = counter;
			counter->head.users++;
		}
	}
	return 0;
}

int bind_endpoint(struct endpoint *endpoint, struct fid *fid, uint64_t flags)
{
	struct domain *domain = endpoint->head.domain;
	struct head *bound;

	DEMAND(!endpoint->enabled, FI_EOPBADSTATE, "the endpoint is enabled");
	if ((bound = known(fid, FI_CLASS_CQ, domain)))
		return bind_queue(endpoint, (void *)bound, flags);
	if ((bound = known(fid, FI_CLASS_CNTR, domain)))
		return bind_counter(endpoint, (void *)bound, flags);
	ALLOW(0, flags);
	if ((bound = known(fid, FI_CLASS_AV, domain))) {
		DEMAND(!endpoint->vector, FI_EINVAL, "the endpoint has a vector");
		endpoint->vector = (void *)bound;
	} else {
		bound = known(fid, FI_CLASS_EQ, NULL);
		DEMAND(bound && bound->owner == domain->head.owner, FI_EDOMAIN,
		       "that is of another domain");
		DEMAND(!endpoint->events, FI_EINVAL, "the endpoint has an event queue");
		endpoint->events = (void *)bound;
	}
	bound->users++;
	return 0;
}

int enable_endpoint(struct endpoint *endpoint)
{
	DEMAND(!endpoint->enabled, FI_EOPBADSTATE, "the endpoint is enabled");
	DEMAND(endpoint->vector, FI_ENOAV, "the endpoint has no vector");
	DEMAND(endpoint->tx || !(endpoint->caps & (FI_SEND | FI_READ | FI_WRITE)), FI_ENOCQ,
	       "the endpoint has no queue for what it transmits");
	DEMAND(endpoint->rx || !(endpoint->caps & FI_RECV), FI_ENOCQ,
	       "the endpoint has no queue for what it receives");
	endpoint->enabled = true;
	return 0;
}

static int set_name(struct endpoint *endpoint, const void *address, size_t length)
{
	uint32_t number;

	DEMAND(!endpoint->enabled, FI_EOPBADSTATE, "the endpoint is enabled");
	DEMAND(address && length == endpoint->offer->addr_length, FI_EINVAL, "%zu bytes at %p",
	       length, address);
	number = read_address(endpoint->offer, address);
	if (!number)
		return -FI_EADDRNOTAVAIL;
	if (endpoint_of(endpoint->offer, number))
		return -FI_EADDRINUSE;
	endpoint->number = number;
	return 0;
}

static int ep_setname(fid_t fid, void *address, size_t length)
{
	GUARD(fid, "fi_setname", -FI_EBADF);
	return set_name(OF(endpoint, fid), address, length);
}

static int ep_getname(fid_t fid, void *address, size_t *length)
{
	struct endpoint *endpoint = OF(endpoint, fid);
	uint8_t name[MAX_ADDRESS];
	size_t room;

	GUARD(fid, "fi_getname", -FI_EBADF);
	DEMAND(length && (address || !*length), FI_EINVAL, "an argument is NULL");
	DEMAND(endpoint->enabled, FI_EOPBADSTATE, "the endpoint is not enabled");
	room = *length;
	*length = endpoint->offer->addr_length;
	write_address(endpoint->offer, endpoint->number, name);
	if (room)
		memcpy(address, name, room < *length ? room : *length);
	return room < *length ? -FI_ETOOSMALL : 0;
}

static ssize_t ep_cancel(fid_t fid, void *context)
{
	GUARD(fid, "fi_cancel", -FI_EBADF);
	return cancel(OF(endpoint, fid), context);
}

static int ep_getopt(fid_t fid, int level, int name, void *value, size_t *length)
{
	GUARD(fid, "fi_getopt", -FI_EBADF);
	DEMAND(level == FI_OPT_ENDPOINT, FI_EINVAL, "unknown level %d", level);
	DEMAND(value && length, FI_EINVAL, "an argument is NULL");
	if (name != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (*length < sizeof(size_t))
		return -FI_ETOOSMALL;
	*length = sizeof(size_t);
	memcpy(value, &OF(endpoint, fid)->least_multi_recv, sizeof(size_t));
	return 0;
}

static int ep_setopt(fid_t fid, int level, int name, const void *value, size_t length)
{
	GUARD(fid, "fi_setopt", -FI_EBADF);
	DEMAND(level == FI_OPT_ENDPOINT, FI_EINVAL, "unknown level %d", level);
	if (name != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	DEMAND(value && length == sizeof(size_t), FI_EINVAL, "the option has %zu bytes", length);
	memcpy(&OF(endpoint, fid)->least_multi_recv, value, sizeof(size_t));
	return 0;
}

static struct fi_ops_ep ep_ops = {
	.size = sizeof(ep_ops), .cancel = ep_cancel, .getopt = ep_getopt, .setopt = ep_setopt,
	.tx_ctx = NOT_THERE, .rx_ctx = NOT_THERE,
	.rx_size_left = NOT_THERE, .tx_size_left = NOT_THERE};

static struct fi_ops_cm cm_ops = {
	.size = sizeof(cm_ops), .setname = ep_setname, .getname = ep_getname, .getpeer = NOT_THERE,
	.connect = NOT_THERE, .listen = NOT_THERE, .accept = NOT_THERE, .reject = NOT_THERE,
	.shutdown = NOT_THERE, .join = NOT_THERE};

static int check_endpoint_info(const struct offer *offer, const struct fi_info *info)
{
	const struct fi_tx_attr *tx = info->tx_attr;
	const struct fi_rx_attr *rx = info->rx_attr;

	DEMAND(offer_of(info) == offer, FI_EINVAL, "the info is of another domain");
	DEMAND(info->ep_attr->type == offer->type, FI_EINVAL, "endpoint type %d",
	       info->ep_attr->type);
	DEMAND(!(info->caps & ~offer->caps), FI_EINVAL, "capabilities 0x%" PRIx64, info->caps);
	DEMAND(!(offer->mode & ~info->mode), FI_EINVAL, "mode 0x%" PRIx64 " lacks what is demanded",
	       info->mode);
	DEMAND(tx->size <= TX_SIZE && rx->size <= RX_SIZE, FI_EINVAL,
	       "%zu operations and %zu receives", tx->size, rx->size);
	DEMAND(tx->inject_size <= offer->inject_size, FI_EINVAL, "inject_size is %zu",
	       tx->inject_size);
	DEMAND(tx->iov_limit <= IOV_LIMIT && rx->iov_limit <= IOV_LIMIT &&
		       tx->rma_iov_limit <= offer->rma_iov_limit,
	       FI_EINVAL, "iov_limit %zu, %zu, rma_iov_limit %zu", tx->iov_limit, rx->iov_limit,
	       tx->rma_iov_limit);
	DEMAND(!(tx->op_flags & ~TX_FLAGS) && !(rx->op_flags & ~RX_FLAGS), FI_EBADFLAGS,
	       "op_flags 0x%" PRIx64 " and 0x%" PRIx64, tx->op_flags, rx->op_flags);
	DEMAND(info->ep_attr->tx_ctx_cnt <= 1 && info->ep_attr->rx_ctx_cnt <= 1, FI_EINVAL,
	       "more than one context");
	return 0;
}

int ep_open(struct fid_domain *fid, struct fi_info *info, struct fid_ep **ep, void *context)
{
	struct domain *domain = OF(domain, fid);
	struct endpoint *endpoint;
	int error;

	GUARD(&fid->fid, "fi_endpoint", -FI_EBADF);
	DEMAND(info && ep, FI_EINVAL, "an argument is NULL");
	error = check_endpoint_info(domain->offer, info);
	if (error)
		return error;
	endpoint = CREATE(endpoint, "ep", FI_CLASS_EP, &fid->fid, context);
	endpoint->offer = domain->offer;
	endpoint->caps = info->caps;
	endpoint->tx_flags = info->tx_attr->op_flags;
	endpoint->rx_flags = info->rx_attr->op_flags;
	TAILQ_INIT(&endpoint->unexpected);
	TAILQ_INIT(&endpoint->claimed);
	endpoint->fid.ops = &ep_ops;
	endpoint->fid.cm = &cm_ops;
	endpoint->fid.msg = &msg_ops;
	endpoint->fid.tagged = &tagged_ops;
	endpoint->fid.rma = &rma_ops;
	error = info->src_addr ? set_name(endpoint, info->src_addr, info->src_addrlen) : 0;
	if (error) {
		bury(&endpoint->head);
		return error;
	}
	while (!endpoint->number) {
		if (!endpoint_of(domain->offer, ++last_number))
			endpoint->number = last_number;
	}
	*ep = &endpoint->fid;
	return 0;
}

int close_endpoint(struct endpoint *endpoint)
{
	drop_operations(endpoint);
	struct head *used[] = {(void *)endpoint->tx,	      (void *)endpoint->rx,
			       (void *)endpoint->vector,      (void *)endpoint->events,
			       (void *)endpoint->counters[0], (void *)endpoint->counters[1],
			       (void *)endpoint->counters[2], (void *)endpoint->counters[3]};

	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		if (used[i])
			used[i]->users--;
	}
	return 0;
}
