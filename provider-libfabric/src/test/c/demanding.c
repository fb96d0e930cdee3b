/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libfabric that demands what hardware demands, and checks every argument.
 *
 *   gcc -shared -fPIC -pthread -o libdemanding.so demanding.c demanding-info.c \
 *       demanding-endpoint.c demanding-transfer.c demanding-calls.c
 *
 * Its endpoints reach each other within the process. Like EFA, domain "efa" wants contexts of 64
 * bytes, registered memory everywhere, and virtual addresses. Like HPE Slingshot, domain "cxi"
 * wants contexts of 32 bytes, injects nothing, and its regions belong to endpoints. Domain "prefix"
 * wants room in front of datagrams, which its users have to pass over.
 *
 * What its user does wrong is a violation: a line on standard error, remembered for
 * demanding_violation(), and the call fails, as a rule with EINVAL (22). What may happen to anybody
 * is none: a full queue, a peer that is not there. What libfabric leaves open goes the unpleasant
 * way here: sends complete out of order, fields that a completion does not have are garbage, every
 * seventh post has to be tried again, endpoints of "cxi" take their completions with them.
 *
 * This file has what all objects share, and those that are no endpoints and vectors.
 */
#include <pthread.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demanding-objects.h"

#define PUBLIC_MR_ACCESS (DIRECTIONS | REMOTE)

struct heads objects = TAILQ_HEAD_INITIALIZER(objects);
static struct heads closed = TAILQ_HEAD_INITIALIZER(closed);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *current_call;
static char first_violation[512];
static long violations;

/* ---- Violations ---- */

void complain(const char *format, ...)
{
	char text[400];
	char line[sizeof(first_violation)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	snprintf(line, sizeof(line), "%s: %s", current_call, text);
	fprintf(stderr, "demanding: %s\n", line);
	if (!violations++)
		memcpy(first_violation, line, sizeof(line));
}

struct guard enter(struct fid *fid, const char *call)
{
	struct head *head = fid ? HEAD(fid) : NULL;
	struct guard guard = {head ? head->domain : NULL, true};
	bool alone = !guard.domain || guard.domain->threading != FI_THREAD_DOMAIN ||
		     !atomic_exchange(&guard.domain->inside, true);

	pthread_mutex_lock(&lock);
	current_call = call;
	if (!alone)
		complain("another thread is in a call of this domain, which has FI_THREAD_DOMAIN");
	if (head && !head->open) {
		complain("the %s is closed", head->what);
		guard.open = false;
	}
	return guard;
}

void leave(struct guard *guard)
{
	if (guard->domain)
		atomic_store(&guard->domain->inside, false);
	pthread_mutex_unlock(&lock);
}

const char *demanding_violation(void)
{
	GUARD(NULL, "demanding_violation", NULL);
	return violations ? first_violation : NULL;
}

long demanding_violations(void)
{
	GUARD(NULL, "demanding_violations", 0);
	return violations;
}

void demanding_fail_every(int n)
{
	GUARD(NULL, "demanding_fail_every", );
	fail_every(n);
}

static void __attribute__((constructor)) start(void)
{
	const char *every = getenv("DEMANDING_FAIL_EVERY");

	fail_every(every ? atoi(every) : 0);
}

void demanding_reset(void)
{
	demanding_offer_prefix(false);
	GUARD(NULL, "demanding_reset", );
	violations = 0;
	start();
}

long demanding_live(const char *what)
{
	struct head *head;
	long live = 0;

	GUARD(NULL, "demanding_live", 0);
	if (!strcmp(what, "info"))
		return live_infos();
	TAILQ_FOREACH(head, &objects, link)
		live += !strcmp(head->what, what);
	return live;
}

/* ---- All objects ---- */

/* Looks random, and differs each time. */
uint64_t random_number(void)
{
	static uint64_t state;
	uint64_t value = state += UINT64_C(0x9E3779B97F4A7C15);

	value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
	return value ^ value >> 31;
}

ssize_t not_there(void)
{
	return -FI_ENOSYS;
}

static struct fi_ops fid_ops;

void *create(size_t size, const char *what, size_t fclass, struct fid *owner, void *context)
{
	struct head *head = calloc(1, size);
	struct fid *fid = (struct fid *)(head + 1);

	*fid = (struct fid){fclass, context, &fid_ops};
	head->what = what;
	head->open = true;
	if (owner) {
		head->owner = HEAD(owner);
		head->owner->users++;
		head->domain = head->owner->domain;
	}
	TAILQ_INSERT_TAIL(&objects, head, link);
	return head;
}

void bury(struct head *head)
{
	TAILQ_REMOVE(&objects, head, link);
	TAILQ_INSERT_TAIL(&closed, head, link);
	head->open = false;
	if (head->owner)
		head->owner->users--;
}

/* An open object that is bound to another one, NULL if it is not of the class and domain. */
void *known(const struct fid *fid, size_t fclass, const struct domain *domain)
{
	struct head *head;

	TAILQ_FOREACH(head, &objects, link) {
		if (HEAD(fid) == head)
			return fid->fclass == fclass && (!domain || head->domain == domain) ? head
											    : NULL;
	}
	return NULL;
}

static int close_region(struct region *region)
{
	DEMAND(!is_accessed(region), FI_EBUSY, "the region is in use by operations");
	if (region->endpoint)
		region->endpoint->head.users--;
	return 0;
}

static int close_queue(struct queue *queue)
{
	drop_completions(queue);
	if (queue->descriptor >= 0)
		close(queue->descriptor);
	return 0;
}

static int fid_close(struct fid *fid)
{
	struct head *head = HEAD(fid);
	int error;

	GUARD(fid, "fi_close", -FI_EBADF);
	DEMAND(!head->users, FI_EBUSY, "%d open objects use the %s", head->users, head->what);
	error = fid->fclass == FI_CLASS_EP   ? close_endpoint((void *)head)
		: fid->fclass == FI_CLASS_MR ? close_region((void *)head)
		: fid->fclass == FI_CLASS_CQ ? close_queue((void *)head)
		: fid->fclass == FI_CLASS_AV ? close_vector((void *)head)
					     : 0;
	if (!error)
		bury(head);
	return error;
}

/* ---- Queues and counters ---- */

void wake(struct queue *queue)
{
	if (queue->descriptor >= 0)
		eventfd_write(queue->descriptor, 1);
}

static int cq_open(struct fid_domain *fid, struct fi_cq_attr *attr, struct fid_cq **cq,
		   void *context)
{
	struct queue *queue;

	GUARD(&fid->fid, "fi_cq_open", -FI_EBADF);
	DEMAND(attr && cq, FI_EINVAL, "an argument is NULL");
	ALLOW(0, attr->flags);
	DEMAND(attr->format <= FI_CQ_FORMAT_TAGGED, FI_EINVAL, "unknown format %d", attr->format);
	DEMAND(attr->wait_cond == FI_CQ_COND_NONE, FI_EINVAL, "nobody can wait with a condition");
	DEMAND(!attr->wait_set && !attr->signaling_vector, FI_EINVAL,
	       "wait_set or signaling_vector is set");
	if (attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_FD)
		return -FI_ENOSYS;
	if (attr->format == FI_CQ_FORMAT_UNSPEC)
		attr->format = FI_CQ_FORMAT_TAGGED;
	queue = CREATE(queue, "cq", FI_CLASS_CQ, &fid->fid, context);
	queue->fid.ops = &cq_ops;
	queue->format = attr->format;
	queue->descriptor =
		attr->wait_obj == FI_WAIT_FD ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1;
	*cq = &queue->fid;
	return 0;
}

static uint64_t cntr_read(struct fid_cntr *fid)
{
	GUARD(&fid->fid, "fi_cntr_read", 0);
	complete_sends(NULL, OF(counter, fid));
	return OF(counter, fid)->value;
}

static uint64_t cntr_readerr(struct fid_cntr *fid)
{
	GUARD(&fid->fid, "fi_cntr_readerr", 0);
	complete_sends(NULL, OF(counter, fid));
	return OF(counter, fid)->errors;
}

static int cntr_add(struct fid_cntr *fid, uint64_t value)
{
	GUARD(&fid->fid, "fi_cntr_add", -FI_EBADF);
	OF(counter, fid)->value += value;
	return 0;
}

static int cntr_set(struct fid_cntr *fid, uint64_t value)
{
	GUARD(&fid->fid, "fi_cntr_set", -FI_EBADF);
	OF(counter, fid)->value = value;
	return 0;
}

static int cntr_adderr(struct fid_cntr *fid, uint64_t value)
{
	GUARD(&fid->fid, "fi_cntr_adderr", -FI_EBADF);
	OF(counter, fid)->errors += value;
	return 0;
}

static int cntr_seterr(struct fid_cntr *fid, uint64_t value)
{
	GUARD(&fid->fid, "fi_cntr_seterr", -FI_EBADF);
	OF(counter, fid)->errors = value;
	return 0;
}

static struct fi_ops_cntr cntr_ops = {
	.size = sizeof(cntr_ops), .read = cntr_read, .readerr = cntr_readerr, .add = cntr_add,
	.set = cntr_set, .wait = NOT_THERE, .adderr = cntr_adderr, .seterr = cntr_seterr};

static int cntr_open(struct fid_domain *fid, struct fi_cntr_attr *attr, struct fid_cntr **cntr,
		     void *context)
{
	struct counter *counter;

	GUARD(&fid->fid, "fi_cntr_open", -FI_EBADF);
	DEMAND(attr && cntr, FI_EINVAL, "an argument is NULL");
	ALLOW(0, attr->flags);
	DEMAND(attr->events == FI_CNTR_EVENTS_COMP, FI_EINVAL, "unknown events %d", attr->events);
	DEMAND(!attr->wait_set, FI_EINVAL, "wait_set is set");
	if (attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC)
		return -FI_ENOSYS;
	counter = CREATE(counter, "cntr", FI_CLASS_CNTR, &fid->fid, context);
	counter->fid.ops = &cntr_ops;
	*cntr = &counter->fid;
	return 0;
}

/* Nothing here has events. */
static ssize_t eq_read(struct fid_eq *fid, uint32_t *event, void *buffer, size_t length,
		       uint64_t flags)
{
	GUARD(&fid->fid, "fi_eq_read", -FI_EBADF);
	DEMAND(event && (buffer || !length), FI_EINVAL, "an argument is NULL");
	ALLOW(FI_PEEK, flags);
	return -FI_EAGAIN;
}

static ssize_t eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *entry, uint64_t flags)
{
	GUARD(&fid->fid, "fi_eq_readerr", -FI_EBADF);
	DEMAND(entry, FI_EINVAL, "the entry is NULL");
	ALLOW(0, flags);
	return -FI_EAGAIN;
}

static struct fi_ops_eq eq_ops = {
	.size = sizeof(eq_ops), .read = eq_read, .readerr = eq_readerr, .write = NOT_THERE,
	.sread = NOT_THERE, .strerror = NOT_THERE};

static int eq_open(struct fid_fabric *fid, struct fi_eq_attr *attr, struct fid_eq **eq,
		   void *context)
{
	struct events *events;

	GUARD(&fid->fid, "fi_eq_open", -FI_EBADF);
	DEMAND(attr && eq, FI_EINVAL, "an argument is NULL");
	ALLOW(FI_WRITE, attr->flags);
	if (attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC)
		return -FI_ENOSYS;
	events = CREATE(events, "eq", FI_CLASS_EQ, &fid->fid, context);
	events->fid.ops = &eq_ops;
	*eq = &events->fid;
	return 0;
}

static int trywait(struct fid_fabric *fid, struct fid **fids, int count)
{
	bool news = false;

	GUARD(&fid->fid, "fi_trywait", -FI_EBADF);
	DEMAND(fids && count > 0, FI_EINVAL, "%d objects at %p", count, (void *)fids);
	for (int i = 0; i < count; i++) {
		struct queue *queue = known(fids[i], FI_CLASS_CQ, NULL);
		eventfd_t woken;

		DEMAND(queue && queue->descriptor >= 0, FI_EINVAL,
		       "object %d is no queue with a descriptor", i);
		eventfd_read(queue->descriptor, &woken);
		news |= has_news(queue);
	}
	return news ? -FI_EAGAIN : 0;
}

/* ---- Regions ---- */

static bool is_allocated(uint64_t base, size_t length)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t first = base / page, pages = (base + length - 1) / page - first + 1;
	unsigned char *resident = malloc(pages);
	bool allocated = !mincore((void *)(uintptr_t)(first * page), pages * page, resident);

	free(resident);
	return allocated;
}

static void enable_region(struct region *region)
{
	region->enabled = true;
	region->fid.key = region->key;
	region->fid.mem_desc = region->desc;
}

/* The region that is enabled and has the descriptor, or else the key. */
struct region *region_of(const struct domain *domain, const void *desc, uint64_t key)
{
	struct head *head;

	TAILQ_FOREACH(head, &objects, link) {
		struct region *region = (void *)head;

		if (region->fid.fid.fclass == FI_CLASS_MR && head->domain == domain &&
		    region->enabled && (desc ? region->desc == desc : region->key == key))
			return region;
	}
	return NULL;
}

static int register_region(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
			   struct fid_mr **mr)
{
	uint64_t base;
	size_t length;
	struct region *region;
	struct domain *domain = OF(domain, fid);

	DEMAND(attr && mr && attr->mr_iov, FI_EINVAL, "an argument is NULL");
	DEMAND(attr->iov_count == 1, FI_EINVAL, "iov_count is %zu", attr->iov_count);
	base = (uintptr_t)attr->mr_iov->iov_base;
	length = attr->mr_iov->iov_len;
	DEMAND(base && length && base + length > base, FI_EINVAL, "%zu bytes at 0x%" PRIx64, length,
	       base);
	DEMAND(attr->access && !(attr->access & ~PUBLIC_MR_ACCESS), FI_EINVAL,
	       "access is 0x%" PRIx64, attr->access);
	DEMAND(!attr->offset, FI_EINVAL, "offset is reserved");
	DEMAND(!attr->auth_key_size, FI_EINVAL, "there are no keys");
	DEMAND(attr->iface == FI_HMEM_SYSTEM && !attr->device.reserved, FI_EINVAL,
	       "iface or device is not 0");
	ALLOW(0, flags);
	DEMAND(is_allocated(base, length), FI_EFAULT, "no memory has %zu bytes at 0x%" PRIx64,
	       length, base);
	region = CREATE(region, "mr", FI_CLASS_MR, fid, attr->context);
	region->base = base;
	region->length = length;
	region->access = attr->access;
	region->key = random_number();
	region->desc = (void *)(uintptr_t)random_number();
	region->fid.key = FI_KEY_NOTAVAIL;
	if (!(domain->offer->mr_mode & FI_MR_ENDPOINT))
		enable_region(region);
	*mr = &region->fid;
	return 0;
}

static int mr_regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
		      struct fid_mr **mr)
{
	GUARD(fid, "fi_mr_regattr", -FI_EBADF);
	return register_region(fid, attr, flags, mr);
}

static int mr_regv(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access,
		   uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **mr, void *context)
{
	struct fi_mr_attr attr = {.mr_iov = iov, .iov_count = count, .access = access,
				  .offset = offset, .requested_key = key, .context = context};

	GUARD(fid, "fi_mr_regv", -FI_EBADF);
	return register_region(fid, &attr, flags, mr);
}

static int mr_reg(struct fid *fid, const void *buffer, size_t length, uint64_t access,
		  uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **mr, void *context)
{
	struct iovec iov = {(void *)buffer, length};
	struct fi_mr_attr attr = {.mr_iov = &iov, .iov_count = 1, .access = access,
				  .offset = offset, .requested_key = key, .context = context};

	GUARD(fid, "fi_mr_reg", -FI_EBADF);
	return register_region(fid, &attr, flags, mr);
}

static struct fi_ops_mr mr_ops = {
	.size = sizeof(mr_ops), .reg = mr_reg, .regv = mr_regv, .regattr = mr_regattr};

static int bind_region(struct region *region, struct fid *fid, uint64_t flags)
{
	struct endpoint *endpoint = known(fid, FI_CLASS_EP, region->head.domain);

	DEMAND(region->head.domain->offer->mr_mode & FI_MR_ENDPOINT, FI_EINVAL,
	       "the region belongs to its domain");
	DEMAND(endpoint, FI_EDOMAIN, "that is no endpoint of this domain");
	DEMAND(!region->endpoint, FI_EINVAL, "the region belongs to an endpoint");
	ALLOW(0, flags);
	region->endpoint = endpoint;
	endpoint->head.users++;
	return 0;
}

/* ---- Domains and fabrics ---- */

static struct fi_ops_domain domain_ops = {
	.size = sizeof(domain_ops), .av_open = av_open, .cq_open = cq_open, .endpoint = ep_open,
	.scalable_ep = NOT_THERE, .cntr_open = cntr_open, .poll_open = NOT_THERE,
	.stx_ctx = NOT_THERE,
	.srx_ctx = NOT_THERE, .query_atomic = NOT_THERE, .query_collective = NOT_THERE,
	.endpoint2 = NOT_THERE};

static int domain_open(struct fid_fabric *fid, struct fi_info *info, struct fid_domain **domain_fid,
		       void *context)
{
	const struct offer *offer;
	struct domain *domain;

	GUARD(&fid->fid, "fi_domain", -FI_EBADF);
	DEMAND(info && domain_fid, FI_EINVAL, "an argument is NULL");
	offer = offer_of(info);
	DEMAND(offer, FI_EINVAL, "no domain has that name");
	DEMAND(offer->mode != FI_MSG_PREFIX, FI_EINVAL, "nobody leaves room for a prefix here");
	DEMAND(info->domain_attr->mr_mode == offer->mr_mode, FI_EINVAL,
	       "mr_mode 0x%x is not what was offered", info->domain_attr->mr_mode);
	DEMAND(info->domain_attr->av_type != FI_AV_MAP, FI_EINVAL, "vectors of type FI_AV_MAP");
	domain = CREATE(domain, "domain", FI_CLASS_DOMAIN, &fid->fid, context);
	domain->head.domain = domain;
	domain->offer = offer;
	domain->threading = info->domain_attr->threading;
	domain->fid.ops = &domain_ops;
	domain->fid.mr = &mr_ops;
	*domain_fid = &domain->fid;
	return 0;
}

static struct fi_ops_fabric fabric_ops = {
	.size = sizeof(fabric_ops), .domain = domain_open, .passive_ep = NOT_THERE,
	.eq_open = eq_open,
	.wait_open = NOT_THERE, .trywait = trywait, .domain2 = NOT_THERE};

int fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fid, void *context)
{
	struct fabric *fabric;

	GUARD(NULL, "fi_fabric", -FI_EINVAL);
	DEMAND(attr && fid && attr->name && attr->prov_name, FI_EINVAL, "an argument is NULL");
	if (strcmp(attr->name, "demanding") || strcmp(attr->prov_name, "demanding"))
		return -FI_ENODATA;
	fabric = CREATE(fabric, "fabric", FI_CLASS_FABRIC, NULL, context);
	fabric->fid.ops = &fabric_ops;
	fabric->fid.api_version = attr->api_version;
	*fid = &fabric->fid;
	return 0;
}

/* ---- What every object can do ---- */

static int fid_bind(struct fid *fid, struct fid *bound, uint64_t flags)
{
	GUARD(fid, "fi_bind", -FI_EBADF);
	DEMAND(bound, FI_EINVAL, "the object is NULL");
	if (fid->fclass == FI_CLASS_EP)
		return bind_endpoint(OF(endpoint, fid), bound, flags);
	if (fid->fclass == FI_CLASS_MR)
		return bind_region(OF(region, fid), bound, flags);
	return -FI_ENOSYS;
}

static int fid_control(struct fid *fid, int command, void *argument)
{
	GUARD(fid, "fi_control", -FI_EBADF);
	if (command == FI_ENABLE && fid->fclass == FI_CLASS_EP)
		return enable_endpoint(OF(endpoint, fid));
	if (command == FI_ENABLE && fid->fclass == FI_CLASS_MR) {
		struct region *region = OF(region, fid);

		DEMAND(region->endpoint, FI_EOPBADSTATE, "the region belongs to no endpoint");
		DEMAND(!region->enabled, FI_EOPBADSTATE, "the region is enabled");
		enable_region(region);
		return 0;
	}
	if (command == FI_GETWAIT && fid->fclass == FI_CLASS_CQ &&
	    OF(queue, fid)->descriptor >= 0) {
		DEMAND(argument, FI_EINVAL, "the argument is NULL");
		*(int *)argument = OF(queue, fid)->descriptor;
		return 0;
	}
	return -FI_ENOSYS;
}

static struct fi_ops fid_ops = {
	.size = sizeof(fid_ops), .close = fid_close, .bind = fid_bind, .control = fid_control,
	.ops_open = NOT_THERE, .tostr = NOT_THERE, .ops_set = NOT_THERE};
