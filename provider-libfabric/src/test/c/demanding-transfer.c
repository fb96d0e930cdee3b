/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What moves data in libdemanding.so. Data moves when an operation is posted. The operation stays
 * in one list of all, in order, until its completion was read:
 *
 *   RECEIVE   waits for a message
 *   PENDING   sent, read or written; waits until somebody reads the queue or its counter
 *   READY     waits until its completion is read
 */
#include "demanding-objects.h"

/* So many completions at a time come in the reverse order. */
#define BATCH 3
/* The domain has been read so often before an absent peer counts as unreachable. */
#define PATIENCE 200
#define CONTEXT_WORDS 8
#define GARBAGE UINT64_C(0xDEADBEEFDEADBEEF)
/* Flags of operations that libfabric has, and this library has not. */
#define ABSENT_FLAGS \
	(SEARCH_FLAGS | FI_MULTI_RECV | FI_FENCE | FI_COMMIT_COMPLETE | FI_MATCH_COMPLETE | \
	 FI_TRIGGER)

struct operation {
	TAILQ_ENTRY(operation) link;
	enum { RECEIVE, PENDING, READY } state;
	/* NULL once it is closed. */
	struct endpoint *endpoint;
	struct queue *queue;
	/* As its completion has them. */
	uint64_t what;
	/* Success is worth a completion. */
	bool reported;
	/* The message, while it has to be delivered before the operation completes. */
	struct message *undelivered;
	void *context;
	uint64_t pattern[CONTEXT_WORDS];
	/* How many of them are in the context. */
	size_t words;
	struct iovec iov[IOV_LIMIT];
	struct region *regions[IOV_LIMIT];
	size_t count;
	uint64_t content;
	/* Whom it is for, or the only one whose message it takes. */
	fi_addr_t peer;
	uint64_t tag, ignore, data;
	size_t length, excess;
	int error, provider_error;
	fi_addr_t source;
};

struct message {
	TAILQ_ENTRY(message) link;
	uint64_t what;
	uint64_t tag, data;
	uint32_t sender;
	/* Waits for the message to be delivered. */
	struct operation *operation;
	/* For which it was put aside, and what has to be in there until it is taken. */
	void *context;
	uint64_t pattern[CONTEXT_WORDS];
	size_t words;
	size_t length;
	char bytes[];
};

static TAILQ_HEAD(, operation) operations = TAILQ_HEAD_INITIALIZER(operations);
static int failing;
static int sent;

void fail_every(int n)
{
	failing = n;
	sent = 0;
}

/* ---- Memory of the user ---- */

static void gather(const struct iovec *iov, size_t count, char *bytes)
{
	for (size_t i = 0; i < count; bytes += iov[i++].iov_len) {
		if (iov[i].iov_len)
			memcpy(bytes, iov[i].iov_base, iov[i].iov_len);
	}
}

static void scatter(const struct iovec *iov, size_t count, const char *bytes, size_t length)
{
	for (size_t i = 0; i < count && length; i++) {
		size_t part = iov[i].iov_len < length ? iov[i].iov_len : length;

		if (part)
			memcpy(iov[i].iov_base, bytes, part);
		bytes += part;
		length -= part;
	}
}

static uint64_t content_of(const struct operation *operation)
{
	uint64_t content = 0;

	for (size_t i = 0; i < operation->count; i++) {
		const unsigned char *bytes = operation->iov[i].iov_base;

		for (size_t j = 0; j < operation->iov[i].iov_len; j++)
			content = content * 31 + bytes[j];
	}
	return content;
}

/* The context is the provider's until the completion was read: nobody else writes there. */
static void take_context(struct operation *operation, void *context, size_t size)
{
	operation->context = context;
	operation->words = size / sizeof(uint64_t);
	for (size_t i = 0; i < operation->words; i++)
		operation->pattern[i] = random_number();
	if (context)
		memcpy(context, operation->pattern, size);
}

static void release_context(struct operation *operation)
{
	size_t size = operation->words * sizeof(uint64_t);

	if (operation->context && memcmp(operation->context, operation->pattern, size))
		complain("somebody wrote to the context %p of an operation that was outstanding",
			 operation->context);
	operation->words = 0;
}

static void end_operation(struct operation *operation)
{
	release_context(operation);
	TAILQ_REMOVE(&operations, operation, link);
	free(operation);
}

/* ---- The end of an operation ---- */

static void finish(struct operation *operation)
{
	struct endpoint *endpoint = operation->endpoint;
	struct counter *counter = operation->what & DIRECTIONS
					  ? COUNTER_OF(endpoint, operation->what & DIRECTIONS)
					  : NULL;

	if (operation->what & (FI_SEND | FI_WRITE) && operation->content != content_of(operation))
		complain("somebody wrote to the memory of a send or write that was outstanding");
	if (counter && operation->error)
		counter->errors++;
	else if (counter)
		counter->value++;
	operation->state = READY;
	operation->queue = operation->what & (DIRECTIONS & ~FI_RECV) ? endpoint->tx : endpoint->rx;
	if (!operation->error && !operation->reported) {
		end_operation(operation);
		return;
	}
	TAILQ_REMOVE(&operations, operation, link);
	TAILQ_INSERT_TAIL(&operations, operation, link);
	wake(operation->queue);
}

static bool is_completable(const struct operation *operation, const struct queue *queue,
			   const struct counter *counter)
{
	return operation->state == PENDING && !operation->undelivered &&
	       (operation->endpoint->tx == queue ||
		(counter &&
		 COUNTER_OF(operation->endpoint, operation->what & DIRECTIONS) == counter));
}

/* The user has read the queue or the counter. */
void complete_sends(struct queue *queue, struct counter *counter)
{
	struct operation *batch[BATCH];
	struct operation *operation;
	int count = 0;

	(queue ? queue->head.domain : counter->head.domain)->reads++;
	TAILQ_FOREACH(operation, &operations, link) {
		if (count < BATCH && is_completable(operation, queue, counter))
			batch[count++] = operation;
	}
	while (count > 0)
		finish(batch[--count]);
}

bool has_news(const struct queue *queue)
{
	struct operation *operation;

	TAILQ_FOREACH(operation, &operations, link) {
		if ((operation->state == READY && operation->queue == queue) ||
		    is_completable(operation, queue, NULL))
			return true;
	}
	return false;
}

bool is_addressed(const struct vector *vector, fi_addr_t handle)
{
	struct operation *operation;

	TAILQ_FOREACH(operation, &operations, link) {
		if (operation->state != READY && operation->endpoint->vector == vector &&
		    operation->peer == handle)
			return true;
	}
	return false;
}

bool is_accessed(const struct region *region)
{
	struct operation *operation;

	TAILQ_FOREACH(operation, &operations, link) {
		for (size_t i = 0; operation->state != READY && i < operation->count; i++) {
			if (operation->regions[i] == region)
				return true;
		}
	}
	return false;
}

/* ---- Messages ---- */

static fi_addr_t source_of(const struct endpoint *endpoint, uint32_t sender)
{
	if (!(endpoint->caps & FI_SOURCE))
		return GARBAGE;
	for (size_t i = 0; i < endpoint->vector->size; i++) {
		struct entry *entry = entry_of(endpoint->vector, i);

		if (entry && read_address(endpoint->offer, entry->address) == sender)
			return i;
	}
	return FI_ADDR_NOTAVAIL;
}

static bool is_from(const struct message *message, const struct endpoint *endpoint,
		    fi_addr_t wanted)
{
	return wanted == FI_ADDR_UNSPEC ||
	       read_address(endpoint->offer, entry_of(endpoint->vector, wanted)->address) ==
		       message->sender;
}

static bool fits(const struct operation *receive, const struct endpoint *endpoint,
		 const struct message *message)
{
	return receive->state == RECEIVE && receive->endpoint == endpoint &&
	       receive->what & message->what &&
	       !((receive->tag ^ message->tag) & ~receive->ignore) &&
	       is_from(message, endpoint, receive->peer);
}

/* The message is with whoever receives, or nobody wants it any more. */
static void end_message(struct message *message)
{
	if (message->operation) {
		message->operation->undelivered = NULL;
		wake(message->operation->endpoint->tx);
	}
	free(message);
}

/* What a receive reports of a message. */
static void note(struct operation *receive, const struct message *message)
{
	receive->length = message->length;
	receive->what |= message->what & FI_REMOTE_CQ_DATA;
	receive->data = message->data;
	receive->tag = message->tag;
	receive->source = source_of(receive->endpoint, message->sender);
}

static void deliver(struct operation *receive, struct message *message)
{
	size_t room = total(receive->iov, receive->count);

	note(receive, message);
	receive->length = message->length < room ? message->length : room;
	receive->excess = message->length - receive->length;
	receive->error = receive->excess ? FI_ETRUNC : 0;
	scatter(receive->iov, receive->count, message->bytes, receive->length);
	end_message(message);
	finish(receive);
}

static void arrive(struct endpoint *endpoint, struct message *message)
{
	struct operation *receive;

	TAILQ_FOREACH(receive, &operations, link) {
		if (fits(receive, endpoint, message)) {
			deliver(receive, message);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&endpoint->unexpected, message, link);
	if (message->operation)
		message->operation->undelivered = message;
}

static struct message *find_unexpected(const struct operation *receive)
{
	struct message *message;

	TAILQ_FOREACH(message, &receive->endpoint->unexpected, link) {
		if (fits(receive, receive->endpoint, message))
			return message;
	}
	return NULL;
}

static void take_unexpected(struct operation *receive)
{
	struct message *message = find_unexpected(receive);

	if (message) {
		TAILQ_REMOVE(&receive->endpoint->unexpected, message, link);
		deliver(receive, message);
	}
}

/* FI_PEEK, alone or with one of the others. */
static void look(struct operation *receive, uint64_t flags)
{
	struct endpoint *endpoint = receive->endpoint;
	struct message *message = find_unexpected(receive);

	if (!message) {
		receive->error = FI_ENOMSG;
	} else {
		note(receive, message);
		if (flags & (FI_CLAIM | FI_DISCARD))
			TAILQ_REMOVE(&endpoint->unexpected, message, link);
		if (flags & FI_CLAIM) {
			message->context = receive->context;
			message->words = receive->words;
			memcpy(message->pattern, receive->pattern, sizeof(message->pattern));
			TAILQ_INSERT_TAIL(&endpoint->claimed, message, link);
		} else if (flags & FI_DISCARD) {
			end_message(message);
		}
	}
	finish(receive);
}

static struct message *claimed_for(const struct endpoint *endpoint, const void *context)
{
	struct message *message;

	TAILQ_FOREACH(message, &endpoint->claimed, link) {
		if (message->context == context)
			return message;
	}
	return NULL;
}

/* Takes, or drops, what was put aside. */
static void take_claimed(struct operation *receive, struct message *message, uint64_t flags)
{
	TAILQ_REMOVE(&receive->endpoint->claimed, message, link);
	if (flags & FI_DISCARD) {
		receive->tag = message->tag;
		end_message(message);
		finish(receive);
	} else {
		deliver(receive, message);
	}
}

static void send_message(struct endpoint *target, uint32_t sender, const struct request *request,
			 uint64_t flags, struct operation *operation)
{
	size_t length = total(request->iov, request->count);
	struct message *message = malloc(sizeof(*message) + length);

	*message = (struct message){
		.what = (request->what & (FI_MSG | FI_TAGGED)) | (flags & FI_REMOTE_CQ_DATA),
		.tag = request->tag, .data = request->data, .sender = sender, .length = length,
		.operation = flags & FI_DELIVERY_COMPLETE ? operation : NULL};
	gather(request->iov, request->count, message->bytes);
	arrive(target, message);
}

/* ---- Remote memory ---- */

static int find_places(struct endpoint *target, const struct request *request, struct iovec *places)
{
	uint64_t right = request->what & FI_READ ? FI_REMOTE_READ : FI_REMOTE_WRITE;

	DEMAND(target->caps & right, FI_EACCES, "the peer's endpoint lets nobody do that");
	for (size_t i = 0; i < request->place_count; i++) {
		const struct fi_rma_iov *place = &request->places[i];
		struct region *region = region_of(target->head.domain, NULL, place->key);
		uint64_t base;

		DEMAND(region && (!region->endpoint || region->endpoint == target), FI_EKEYREJECTED,
		       "the peer has no region with key 0x%" PRIx64, place->key);
		base = target->offer->mr_mode & FI_MR_VIRT_ADDR ? region->base : 0;
		DEMAND(region->access & right, FI_EACCES, "the region has access 0x%" PRIx64,
		       region->access);
		DEMAND(place->addr >= base && place->len <= region->length &&
			       place->addr - base <= region->length - place->len,
		       FI_EACCES, "%zu bytes at 0x%" PRIx64 " are outside of the region",
		       place->len, place->addr);
		places[i].iov_base = (void *)(uintptr_t)(region->base + (place->addr - base));
		places[i].iov_len = place->len;
	}
	return 0;
}

/* The peer gets a completion for data that comes with a write. */
static void tell_target(struct endpoint *target, const struct request *request, size_t length)
{
	struct operation *told = calloc(1, sizeof(*told));

	told->endpoint = target;
	told->what = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA;
	told->reported = true;
	told->length = length;
	told->data = request->data;
	told->source = GARBAGE;
	TAILQ_INSERT_TAIL(&operations, told, link);
	finish(told);
}

/* Returns 0 or the error of the completion. */
static int access_memory(struct endpoint *target, const struct request *request, uint64_t flags)
{
	size_t length = total(request->iov, request->count);
	struct iovec places[IOV_LIMIT];
	char *bytes;
	int error = find_places(target, request, places);

	if (error)
		return -error;
	bytes = malloc(length + 1);
	if (request->what & FI_READ) {
		gather(places, request->place_count, bytes);
		scatter(request->iov, request->count, bytes, length);
	} else {
		gather(request->iov, request->count, bytes);
		scatter(places, request->place_count, bytes, length);
	}
	free(bytes);
	if (flags & FI_REMOTE_CQ_DATA && target->rx)
		tell_target(target, request, length);
	return 0;
}

/* ---- What is checked before an operation is posted ---- */

/* A message that was put aside is taken with its very context, which nobody has used meanwhile. */
static int check_claim(const struct endpoint *endpoint, const struct request *request)
{
	const struct message *message = claimed_for(endpoint, request->context);

	DEMAND(message, FI_EINVAL, "no message is put aside for the context %p", request->context);
	DEMAND(!memcmp(request->context, message->pattern, message->words * sizeof(uint64_t)),
	       FI_EINVAL, "somebody wrote to the context %p of a message that was put aside",
	       request->context);
	DEMAND(!((request->tag ^ message->tag) & ~request->ignore), FI_EINVAL,
	       "the message that was put aside has another tag");
	return 0;
}

/* Nor does an operation use the context of such a message. */
static int check_claimed(const struct request *request, size_t size)
{
	uintptr_t begin = (uintptr_t)request->context;
	struct head *head;

	TAILQ_FOREACH(head, &objects, link) {
		struct message *message;

		if (strcmp(head->what, "ep"))
			continue;
		TAILQ_FOREACH(message, &((struct endpoint *)head)->claimed, link) {
			uintptr_t other = (uintptr_t)message->context;

			DEMAND(begin + size <= other || other + 8 * message->words <= begin,
			       FI_EINVAL,
			       "the context %p is that of a message that was put aside",
			       request->context);
		}
	}
	return 0;
}

static int check_context(const struct endpoint *endpoint, const struct request *request,
			 bool claims)
{
	uintptr_t begin = (uintptr_t)request->context;
	size_t size = endpoint->offer->context_size;
	struct operation *operation;

	if (request->silent)
		return 0;
	DEMAND(begin, FI_EINVAL, "the context is NULL, and %zu bytes are needed", size);
	DEMAND(begin % 8 == 0, FI_EINVAL, "the context %p is not aligned", request->context);
	TAILQ_FOREACH(operation, &operations, link) {
		uintptr_t other = (uintptr_t)operation->context;

		DEMAND(!operation->words || begin + size <= other ||
			       other + 8 * operation->words <= begin,
		       FI_EINVAL, "the context %p, %zu bytes, is that of an outstanding operation",
		       request->context, size);
	}
	return claims ? check_claim(endpoint, request) : check_claimed(request, size);
}

static int check_memory(const struct endpoint *endpoint, const struct request *request, bool inject)
{
	uint64_t right = request->what & DIRECTIONS;
	size_t length = 0;

	DEMAND(request->count <= IOV_LIMIT, FI_EINVAL, "%zu pieces", request->count);
	DEMAND(request->iov || !request->count, FI_EINVAL, "%zu pieces at NULL", request->count);
	for (size_t i = 0; i < request->count; i++) {
		uint64_t base = (uintptr_t)request->iov[i].iov_base;
		size_t size = request->iov[i].iov_len;
		struct region *region;

		if (!size)
			continue;
		DEMAND(base && size <= MAX_MESSAGE - length, FI_EMSGSIZE,
		       "%zu bytes at 0x%" PRIx64 ", and max_msg_size is %zu", size, base,
		       MAX_MESSAGE);
		length += size;
		if (inject)
			continue;
		DEMAND(request->desc && request->desc[i], FI_EINVAL,
		       "no descriptor, and memory has to be registered");
		region = region_of(endpoint->head.domain, request->desc[i], 0);
		DEMAND(region, FI_EINVAL, "%p is no descriptor of this domain", request->desc[i]);
		DEMAND(!region->endpoint || region->endpoint == endpoint, FI_EINVAL,
		       "the region belongs to another endpoint");
		DEMAND(region->access & right, FI_EACCES,
		       "the region has access 0x%" PRIx64 ", and needs 0x%" PRIx64, region->access,
		       right);
		DEMAND(base >= region->base && size <= region->length &&
			       base - region->base <= region->length - size,
		       FI_EINVAL,
		       "%zu bytes at 0x%" PRIx64 " are outside of the region of the descriptor",
		       size, base);
	}
	DEMAND(!inject || (endpoint->offer->inject_size && length <= endpoint->offer->inject_size),
	       FI_EINVAL, "%zu bytes injected, and inject_size is %zu", length,
	       endpoint->offer->inject_size);
	return 0;
}

static int check_places(const struct endpoint *endpoint, const struct request *request)
{
	size_t length = 0;

	DEMAND(request->places && request->place_count &&
		       request->place_count <= endpoint->offer->rma_iov_limit,
	       FI_EINVAL, "%zu places", request->place_count);
	for (size_t i = 0; i < request->place_count; i++)
		length += request->places[i].len;
	DEMAND(length == total(request->iov, request->count), FI_EINVAL,
	       "%zu bytes there and %zu here", length, total(request->iov, request->count));
	return 0;
}

/* Whom an operation is for, or from whom it takes a message; that is looked at if it was asked. */
static fi_addr_t wanted(const struct endpoint *endpoint, const struct request *request)
{
	return request->what & FI_RECV && !(endpoint->caps & FI_DIRECTED_RECV) ? FI_ADDR_UNSPEC
									       : request->peer;
}

static int check(const struct endpoint *endpoint, const struct request *request, uint64_t flags)
{
	bool receive = request->what & FI_RECV;
	uint64_t allowed = receive ? RX_FLAGS : TX_FLAGS;
	size_t data_bits = 8 * endpoint->offer->data_size;
	int error;

	DEMAND(endpoint->enabled, FI_EOPBADSTATE, "the endpoint is not enabled");
	DEMAND(!(request->what & ~endpoint->caps), FI_EOPNOTSUPP,
	       "the endpoint has capabilities 0x%" PRIx64, endpoint->caps);
	if (request->what & (FI_SEND | FI_WRITE))
		allowed |= FI_REMOTE_CQ_DATA;
	if (request->what & FI_READ)
		allowed &= ~FI_INJECT;
	if (receive && request->what & FI_TAGGED && !request->plain)
		allowed |= SEARCH_FLAGS;
	ALLOW(allowed | ABSENT_FLAGS, flags);
	if (flags & ~allowed)
		return -FI_EBADFLAGS;
	DEMAND(!(flags & FI_DISCARD) || !(flags & FI_PEEK) != !(flags & FI_CLAIM), FI_EBADFLAGS,
	       "FI_DISCARD goes with one of FI_PEEK and FI_CLAIM");
	DEMAND(wanted(endpoint, request) == FI_ADDR_UNSPEC ||
		       entry_of(endpoint->vector, request->peer),
	       FI_EINVAL, "handle %" PRIu64 " names no entry", request->peer);
	DEMAND(!(flags & FI_REMOTE_CQ_DATA) || data_bits == 64 || !(request->data >> data_bits),
	       FI_EINVAL, "data 0x%" PRIx64 " has more than %zu bits", request->data, data_bits);
	error = check_memory(endpoint, request, flags & FI_INJECT);
	if (!error && request->what & FI_RMA)
		error = check_places(endpoint, request);
	return error ? error
		     : check_context(endpoint, request, (flags & (FI_PEEK | FI_CLAIM)) == FI_CLAIM);
}

/* ---- Posting ---- */

static struct operation *create_operation(struct endpoint *endpoint, const struct request *request,
					  uint64_t flags)
{
	bool receive = request->what & FI_RECV;
	struct operation *operation = calloc(1, sizeof(*operation));

	operation->state = receive ? RECEIVE : PENDING;
	operation->endpoint = endpoint;
	operation->what = request->what;
	operation->reported = flags & FI_COMPLETION ||
			      !(receive ? endpoint->rx_selective : endpoint->tx_selective);
	operation->peer = wanted(endpoint, request);
	operation->tag = request->tag;
	operation->ignore = request->ignore;
	operation->source = GARBAGE;
	for (size_t i = 0; !(flags & FI_INJECT) && i < request->count; i++) {
		if (!request->iov[i].iov_len)
			continue;
		operation->regions[operation->count] =
			region_of(endpoint->head.domain, request->desc[i], 0);
		operation->iov[operation->count++] = request->iov[i];
	}
	operation->content = content_of(operation);
	take_context(operation, request->context,
		     request->context ? endpoint->offer->context_size : 0);
	TAILQ_INSERT_TAIL(&operations, operation, link);
	return operation;
}

static bool is_full(const struct endpoint *endpoint, bool receive)
{
	struct operation *operation;
	int count = 0;

	TAILQ_FOREACH(operation, &operations, link)
		count += operation->endpoint == endpoint &&
			 operation->state == (receive ? RECEIVE : PENDING);
	return count >= (receive ? RX_SIZE : TX_SIZE);
}

/* NULL if nobody is there; then *error is EAGAIN (11) for some time. */
static struct endpoint *find_target(struct endpoint *endpoint, fi_addr_t peer, int *error)
{
	struct entry *entry = entry_of(endpoint->vector, peer);
	uint32_t number = read_address(endpoint->offer, entry->address);
	struct endpoint *target = number ? endpoint_of(endpoint->offer, number) : NULL;
	uint64_t reads = endpoint->head.domain->reads;

	if (target && target->enabled) {
		entry->absent = false;
		return target;
	}
	if (!entry->absent) {
		entry->absent = true;
		entry->absent_since = reads;
	}
	*error = reads - entry->absent_since < PATIENCE ? FI_EAGAIN : FI_EHOSTUNREACH;
	return NULL;
}

static void transmit(struct endpoint *endpoint, struct endpoint *target,
		     const struct request *request, uint64_t flags, int error)
{
	struct operation *operation = create_operation(endpoint, request, flags);
	bool counted =
		request->what & FI_SEND && !request->silent && total(request->iov, request->count);

	operation->error = error;
	if (!error && counted && failing && ++sent % failing == 0) {
		operation->error = FI_EIO;
		operation->provider_error = 42;
	}
	if (!operation->error && request->what & FI_RMA)
		operation->error = access_memory(target, request, flags);
	else if (!operation->error)
		send_message(target, endpoint->number, request, flags,
			     request->silent ? NULL : operation);
	if (request->silent) {
		operation->reported = false;
		finish(operation);
	} else {
		wake(endpoint->tx);
	}
}

static void post_receive(struct endpoint *endpoint, const struct request *request, uint64_t flags)
{
	struct message *message = flags & FI_CLAIM ? claimed_for(endpoint, request->context) : NULL;
	struct operation *receive = create_operation(endpoint, request, flags);

	if (flags & FI_PEEK)
		look(receive, flags);
	else if (message)
		take_claimed(receive, message, flags);
	else
		take_unexpected(receive);
}

ssize_t post(struct fid_ep *fid, const char *call, const struct request *request)
{
	struct endpoint *endpoint = OF(endpoint, fid);
	struct endpoint *target = NULL;
	bool receive = request->what & FI_RECV;
	uint64_t flags = request->flags;
	int error;

	GUARD(&fid->fid, call, -FI_EBADF);
	if (request->plain)
		flags |= receive		   ? endpoint->rx_flags
			 : request->what & FI_READ ? endpoint->tx_flags & ~FI_INJECT
						   : endpoint->tx_flags;
	if (request->silent)
		flags |= FI_INJECT;
	error = check(endpoint, request, flags);
	if (error)
		return error;
	if (++endpoint->posts % 7 == 0 || is_full(endpoint, receive))
		return -FI_EAGAIN;
	if (receive) {
		post_receive(endpoint, request, flags);
		return 0;
	}
	target = find_target(endpoint, request->peer, &error);
	if (error == FI_EAGAIN)
		return -FI_EAGAIN;
	transmit(endpoint, target, request, flags, error);
	return 0;
}

ssize_t cancel(struct endpoint *endpoint, void *context)
{
	struct operation *operation;

	DEMAND(context, FI_EINVAL, "the context is NULL");
	TAILQ_FOREACH(operation, &operations, link) {
		if (operation->state == RECEIVE && operation->endpoint == endpoint &&
		    operation->context == context) {
			operation->error = FI_ECANCELED;
			finish(operation);
			return 0;
		}
	}
	return -FI_ENOENT;
}

/* Those that are outstanding vanish without completion; "cxi" takes along what has completed. */
void drop_operations(struct endpoint *endpoint)
{
	struct operation *operation, *next;
	struct message *message;

	TAILQ_CONCAT(&endpoint->unexpected, &endpoint->claimed, link);
	while ((message = TAILQ_FIRST(&endpoint->unexpected))) {
		TAILQ_REMOVE(&endpoint->unexpected, message, link);
		if (message->operation) {
			message->operation->undelivered = NULL;
			message->operation->error = FI_EHOSTUNREACH;
			wake(message->operation->endpoint->tx);
		}
		free(message);
	}
	for (operation = TAILQ_FIRST(&operations); operation; operation = next) {
		next = TAILQ_NEXT(operation, link);
		if (operation->endpoint != endpoint)
			continue;
		if (operation->undelivered)
			operation->undelivered->operation = NULL;
		release_context(operation);
		operation->endpoint = NULL;
		if (operation->state != READY || endpoint->offer->mr_mode & FI_MR_ENDPOINT)
			end_operation(operation);
	}
}

void drop_completions(struct queue *queue)
{
	struct operation *operation, *next;

	for (operation = TAILQ_FIRST(&operations); operation; operation = next) {
		next = TAILQ_NEXT(operation, link);
		if (operation->state == READY && operation->queue == queue)
			end_operation(operation);
	}
}

/* ---- Completion queues ---- */

/* Fields that an operation does not have are garbage. */
static struct fi_cq_err_entry describe(const struct operation *operation)
{
	return (struct fi_cq_err_entry){
		.op_context = operation->context,
		.flags = operation->what,
		.len = operation->what & (FI_RECV | FI_REMOTE_WRITE) ? operation->length : GARBAGE,
		.buf = (void *)(uintptr_t)GARBAGE,
		.data = operation->what & FI_REMOTE_CQ_DATA ? operation->data : GARBAGE,
		.tag = operation->what & FI_TAGGED ? operation->tag : GARBAGE,
		.olen = operation->excess,
		.err = operation->error,
		.prov_errno = operation->provider_error};
}

static struct operation *first_error(const struct queue *queue)
{
	struct operation *operation;

	TAILQ_FOREACH(operation, &operations, link) {
		if (operation->state == READY && operation->queue == queue && operation->error)
			return operation;
	}
	return NULL;
}

static ssize_t read_queue(struct queue *queue, void *buffer, size_t count, fi_addr_t *sources)
{
	static const size_t sizes[] = {
		[FI_CQ_FORMAT_CONTEXT] = sizeof(struct fi_cq_entry),
		[FI_CQ_FORMAT_MSG] = sizeof(struct fi_cq_msg_entry),
		[FI_CQ_FORMAT_DATA] = sizeof(struct fi_cq_data_entry),
		[FI_CQ_FORMAT_TAGGED] = sizeof(struct fi_cq_tagged_entry)};
	size_t size = sizes[queue->format];
	struct operation *operation, *next;
	size_t done = 0;

	DEMAND(buffer || !count, FI_EINVAL, "%zu completions to NULL", count);
	complete_sends(queue, NULL);
	memset(queue->error_data, '?', sizeof(queue->error_data));
	if (first_error(queue))
		return -FI_EAVAIL;
	for (operation = TAILQ_FIRST(&operations); operation && done < count; operation = next) {
		struct fi_cq_err_entry entry;

		next = TAILQ_NEXT(operation, link);
		if (operation->state != READY || operation->queue != queue)
			continue;
		entry = describe(operation);
		memcpy((char *)buffer + done * size, &entry, size);
		if (sources)
			sources[done] = operation->source;
		done++;
		end_operation(operation);
	}
	return done ? (ssize_t)done : -FI_EAGAIN;
}

static ssize_t cq_read(struct fid_cq *fid, void *buffer, size_t count)
{
	GUARD(&fid->fid, "fi_cq_read", -FI_EBADF);
	return read_queue(OF(queue, fid), buffer, count, NULL);
}

static ssize_t cq_readfrom(struct fid_cq *fid, void *buffer, size_t count, fi_addr_t *sources)
{
	GUARD(&fid->fid, "fi_cq_readfrom", -FI_EBADF);
	DEMAND(sources || !count, FI_EINVAL, "%zu sources to NULL", count);
	return read_queue(OF(queue, fid), buffer, count, sources);
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *entry, uint64_t flags)
{
	struct queue *queue = OF(queue, fid);
	struct operation *operation;
	void *room;
	size_t size;

	GUARD(&fid->fid, "fi_cq_readerr", -FI_EBADF);
	DEMAND(entry, FI_EINVAL, "the entry is NULL");
	ALLOW(0, flags);
	DEMAND(entry->err_data || !entry->err_data_size, FI_EINVAL,
	       "%zu bytes of error data to NULL", entry->err_data_size);
	operation = first_error(queue);
	if (!operation)
		return -FI_EAGAIN;
	room = entry->err_data;
	size = entry->err_data_size;
	*entry = describe(operation);
	if (operation->provider_error) {
		memcpy(queue->error_data, "the wire broke", sizeof("the wire broke"));
		entry->err_data = size ? room : queue->error_data;
		entry->err_data_size =
			size && size < sizeof(queue->error_data) ? size : sizeof(queue->error_data);
		memmove(entry->err_data, queue->error_data, entry->err_data_size);
	}
	end_operation(operation);
	return 1;
}

static const char *cq_strerror(struct fid_cq *fid, int error, const void *data, char *text,
			       size_t length)
{
	static char own[64];

	GUARD(&fid->fid, "fi_cq_strerror", NULL);
	if (!text || !length) {
		text = own;
		length = sizeof(own);
	}
	snprintf(text, length, "demanding error %d%s%.16s", error, data ? ": " : "",
		 data ? (const char *)data : "");
	return text;
}

struct fi_ops_cq cq_ops = {
	.size = sizeof(cq_ops), .read = cq_read, .readfrom = cq_readfrom, .readerr = cq_readerr,
	.sread = NOT_THERE, .sreadfrom = NOT_THERE, .signal = NOT_THERE, .strerror = cq_strerror};
