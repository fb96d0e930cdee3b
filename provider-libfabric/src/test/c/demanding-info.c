/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libdemanding.so offers, and the infos that say so. A node (or else a service) is the number
 * of an endpoint.
 */
#include "demanding-objects.h"

#define KNOWN_MR_MODES 0xFFF
#define MESSAGE_CAPS (FI_MSG | FI_TAGGED | FI_SEND | FI_RECV)
#define RMA_CAPS (FI_RMA | FI_READ | FI_WRITE | REMOTE)
#define FREE_CAPS (FI_LOCAL_COMM | FI_REMOTE_COMM)
#define RDM_CAPS (MESSAGE_CAPS | RMA_CAPS | FI_SOURCE | FI_DIRECTED_RECV | FREE_CAPS)

static const struct offer offers[] = {
	{.domain = "efa", .type = FI_EP_RDM, .protocol = FI_PROTO_EFA, .addr_format = FI_ADDR_EFA,
	 .addr_length = 32, .caps = RDM_CAPS, .mode = FI_CONTEXT2,
	 .context_size = sizeof(struct fi_context2),
	 .mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
	 .inject_size = 32, .rma_iov_limit = 1, .data_size = 4},
	{.domain = "cxi", .type = FI_EP_RDM, .protocol = FI_PROTO_CXI, .addr_format = FI_ADDR_CXI,
	 .addr_length = 8, .caps = RDM_CAPS, .mode = FI_CONTEXT,
	 .context_size = sizeof(struct fi_context),
	 .mr_mode = FI_MR_LOCAL | FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
	 .inject_size = 0, .rma_iov_limit = 2, .data_size = 8},
	{.domain = "prefix", .type = FI_EP_DGRAM, .protocol = FI_PROTO_IB_UD,
	 .addr_format = FI_ADDR_EFA, .addr_length = 32,
	 .caps = FI_MSG | FI_SEND | FI_RECV | FREE_CAPS, .mode = FI_MSG_PREFIX,
	 .mr_mode = FI_MR_LOCAL},
};

#define OFFERS (sizeof(offers) / sizeof(offers[0]))

/* An info and where to find it again. */
struct boxed {
	TAILQ_ENTRY(boxed) link;
	struct fi_info info;
};

static TAILQ_HEAD(, boxed) infos = TAILQ_HEAD_INITIALIZER(infos);
static bool offers_prefix;

const struct offer *offer_of(const struct fi_info *info)
{
	for (size_t i = 0; info->domain_attr->name && i < OFFERS; i++) {
		if (!strcmp(info->domain_attr->name, offers[i].domain))
			return &offers[i];
	}
	return NULL;
}

long live_infos(void)
{
	long live = 0;
	struct boxed *box;

	TAILQ_FOREACH(box, &infos, link)
		live++;
	return live;
}

void demanding_offer_prefix(int offer)
{
	GUARD(NULL, "demanding_offer_prefix", );
	offers_prefix = offer;
}

static void *copy(const void *bytes, size_t length)
{
	return bytes && length ? memcpy(calloc(1, length), bytes, length) : NULL;
}

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* A copy, also of what the pointers of the original point to; an empty info if it is NULL. */
static struct fi_info *duplicate(const struct fi_info *from)
{
	struct boxed *box = calloc(1, sizeof(*box));
	struct fi_info *info = &box->info;

	TAILQ_INSERT_TAIL(&infos, box, link);
	if (from)
		*info = *from;
	info->next = NULL;
	info->nic = NULL;
	info->src_addr = copy(info->src_addr, info->src_addrlen);
	info->dest_addr = copy(info->dest_addr, info->dest_addrlen);
#define ATTRIBUTES(member) \
	do { \
		void *own = calloc(1, sizeof(*info->member)); \
		info->member = \
			info->member ? memcpy(own, info->member, sizeof(*info->member)) : own; \
	} while (0)
	ATTRIBUTES(tx_attr);
	ATTRIBUTES(rx_attr);
	ATTRIBUTES(ep_attr);
	ATTRIBUTES(domain_attr);
	ATTRIBUTES(fabric_attr);
#undef ATTRIBUTES
	info->ep_attr->auth_key = copy(info->ep_attr->auth_key, info->ep_attr->auth_key_size);
	info->domain_attr->auth_key =
		copy(info->domain_attr->auth_key, info->domain_attr->auth_key_size);
	info->domain_attr->name = copy_text(info->domain_attr->name);
	info->fabric_attr->name = copy_text(info->fabric_attr->name);
	info->fabric_attr->prov_name = copy_text(info->fabric_attr->prov_name);
	return info;
}

struct fi_info *fi_dupinfo(const struct fi_info *info)
{
	GUARD(NULL, "fi_dupinfo", NULL);
	return duplicate(info);
}

void fi_freeinfo(struct fi_info *info)
{
	GUARD(NULL, "fi_freeinfo", );
	while (info) {
		struct fi_info *next;
		struct boxed *box;

		TAILQ_FOREACH(box, &infos, link) {
			if (&box->info == info)
				break;
		}
		if (!box) {
			complain("%p is not an info, or it was freed before", (void *)info);
			return;
		}
		next = info->next;
		free(info->src_addr);
		free(info->dest_addr);
		free(info->ep_attr->auth_key);
		free(info->domain_attr->auth_key);
		free(info->domain_attr->name);
		free(info->fabric_attr->name);
		free(info->fabric_attr->prov_name);
		free(info->tx_attr);
		free(info->rx_attr);
		free(info->ep_attr);
		free(info->domain_attr);
		free(info->fabric_attr);
		TAILQ_REMOVE(&infos, box, link);
		free(box);
		info = next;
	}
}

static int check_mode(const char *where, uint64_t mode)
{
	DEMAND(!(mode & ~(FI_CONTEXT | FI_CONTEXT2)), FI_EINVAL,
	       "%s mode 0x%" PRIx64 " has more than FI_CONTEXT and FI_CONTEXT2", where, mode);
	return 0;
}

/* Refuses hints that are wrong for every provider. */
static int check_hints(const struct fi_info *hints)
{
	const struct fi_domain_attr *domain = hints->domain_attr;

	DEMAND(!hints->handle, FI_EINVAL, "hints have a handle, but nothing listens");
	DEMAND(!hints->src_addr == !hints->src_addrlen, FI_EINVAL,
	       "src_addr without length, or reverse");
	DEMAND(!hints->dest_addr == !hints->dest_addrlen, FI_EINVAL,
	       "dest_addr without length, or reverse");
	if (check_mode("hints", hints->mode) ||
	    (hints->tx_attr && check_mode("tx_attr", hints->tx_attr->mode)) ||
	    (hints->rx_attr && check_mode("rx_attr", hints->rx_attr->mode)) ||
	    (domain && check_mode("domain_attr", domain->mode)))
		return -FI_EINVAL;
	DEMAND(!domain || !(domain->mr_mode & ~KNOWN_MR_MODES), FI_EINVAL, "unknown mr_mode 0x%x",
	       domain->mr_mode);
	/* FI_MR_BASIC and FI_MR_SCALABLE are numbers of their own. */
	DEMAND(!domain || !(domain->mr_mode & 3) || domain->mr_mode < 3, FI_EINVAL,
	       "mr_mode 0x%x has FI_MR_BASIC or FI_MR_SCALABLE and more", domain->mr_mode);
	return 0;
}

static bool fits_mode(const struct offer *offer, uint64_t mode)
{
	return !(offer->mode & ~mode) || (offers_prefix && offer->mode == FI_MSG_PREFIX);
}

static bool fits_transfers(const struct offer *offer, const struct fi_info *hints)
{
	const struct fi_tx_attr *tx = hints->tx_attr;
	const struct fi_rx_attr *rx = hints->rx_attr;
	const struct fi_ep_attr *ep = hints->ep_attr;

	return (!tx ||
		(!(tx->caps & ~offer->caps) &&
		 fits_mode(offer, tx->mode ? tx->mode : hints->mode) &&
		 !(tx->op_flags & ~TX_FLAGS) && !(tx->msg_order & ~FI_ORDER_SAS) &&
		 !tx->comp_order && tx->inject_size <= offer->inject_size && tx->size <= TX_SIZE &&
		 tx->iov_limit <= IOV_LIMIT && tx->rma_iov_limit <= offer->rma_iov_limit)) &&
	       (!rx || (!(rx->caps & ~offer->caps) &&
			fits_mode(offer, rx->mode ? rx->mode : hints->mode) &&
			!(rx->op_flags & ~RX_FLAGS) && !(rx->msg_order & ~FI_ORDER_SAS) &&
			!rx->comp_order && rx->size <= RX_SIZE && rx->iov_limit <= IOV_LIMIT)) &&
	       (!ep || ((!ep->type || ep->type == offer->type) &&
			(!ep->protocol || ep->protocol == offer->protocol) &&
			ep->max_msg_size <= MAX_MESSAGE && ep->tx_ctx_cnt <= 1 &&
			ep->rx_ctx_cnt <= 1 && !ep->auth_key_size));
}

static bool fits_domain(const struct offer *offer, const struct fi_domain_attr *domain)
{
	return (!domain->name || !strcmp(domain->name, offer->domain)) &&
	       !(offer->mr_mode & ~domain->mr_mode) && domain->av_type != FI_AV_MAP &&
	       domain->control_progress != FI_PROGRESS_AUTO &&
	       domain->data_progress != FI_PROGRESS_AUTO && domain->mr_key_size <= 8 &&
	       domain->cq_data_size <= offer->data_size && domain->max_ep_tx_ctx <= 1 &&
	       domain->max_ep_rx_ctx <= 1 && !domain->max_ep_stx_ctx && !domain->max_ep_srx_ctx &&
	       domain->mr_iov_limit <= 1 && !(domain->caps & ~FREE_CAPS) && !domain->auth_key_size;
}

static bool fits(const struct offer *offer, const struct fi_info *hints)
{
	const struct fi_fabric_attr *fabric = hints->fabric_attr;

	return !(hints->caps & ~offer->caps) && fits_mode(offer, hints->mode) &&
	       (!hints->addr_format || hints->addr_format == offer->addr_format) &&
	       (!hints->src_addr || hints->src_addrlen == offer->addr_length) &&
	       (!hints->dest_addr || hints->dest_addrlen == offer->addr_length) &&
	       fits_transfers(offer, hints) &&
	       (!hints->domain_attr || fits_domain(offer, hints->domain_attr)) &&
	       (!fabric || ((!fabric->prov_name || !strcmp(fabric->prov_name, "demanding")) &&
			    (!fabric->name || !strcmp(fabric->name, "demanding"))));
}

/* FI_SOURCE is for those who ask, and a direction for all if none was asked for. */
static uint64_t granted_caps(const struct offer *offer, const struct fi_info *hints)
{
	uint64_t caps = hints && hints->caps ? hints->caps | FREE_CAPS : offer->caps;

	if (caps & (FI_MSG | FI_TAGGED) && !(caps & (FI_SEND | FI_RECV)))
		caps |= FI_SEND | FI_RECV;
	if (caps & FI_RMA && !(caps & (FI_READ | FI_WRITE | REMOTE)))
		caps |= RMA_CAPS;
	return caps;
}

static struct fi_info *make_info(const struct offer *offer, const struct fi_info *hints,
				 uint32_t version)
{
	struct fi_info *info = duplicate(NULL);
	enum fi_threading threading =
		hints && hints->domain_attr ? hints->domain_attr->threading : 0;

	info->caps = granted_caps(offer, hints);
	info->mode = offer->mode;
	info->addr_format = offer->addr_format;
	if (hints) {
		info->src_addr = copy(hints->src_addr, info->src_addrlen = hints->src_addrlen);
		info->dest_addr = copy(hints->dest_addr, info->dest_addrlen = hints->dest_addrlen);
	}
	*info->tx_attr = (struct fi_tx_attr){
		.caps = info->caps & (FI_MSG | FI_TAGGED | FI_RMA | FI_SEND | FI_READ | FI_WRITE),
		.mode = offer->mode, .msg_order = FI_ORDER_SAS, .inject_size = offer->inject_size,
		.op_flags = hints && hints->tx_attr ? hints->tx_attr->op_flags : 0, .size = TX_SIZE,
		.iov_limit = IOV_LIMIT, .rma_iov_limit = offer->rma_iov_limit};
	*info->rx_attr = (struct fi_rx_attr){
		.caps = info->caps & (FI_MSG | FI_TAGGED | FI_RMA | FI_RECV | REMOTE | FI_SOURCE |
				      FI_DIRECTED_RECV),
		.mode = offer->mode, .msg_order = FI_ORDER_SAS, .size = RX_SIZE,
		.iov_limit = IOV_LIMIT,
		.op_flags = hints && hints->rx_attr ? hints->rx_attr->op_flags : 0};
	*info->ep_attr = (struct fi_ep_attr){
		.type = offer->type, .protocol = offer->protocol, .protocol_version = 1,
		.max_msg_size = MAX_MESSAGE, .mem_tag_format = UINT64_C(0xAAAAAAAAAAAAAAAA),
		.msg_prefix_size = offer->mode == FI_MSG_PREFIX ? 40 : 0, .tx_ctx_cnt = 1,
		.rx_ctx_cnt = 1};
	*info->domain_attr = (struct fi_domain_attr){
		.name = strdup(offer->domain),
		.threading = threading ? threading : FI_THREAD_DOMAIN,
		.control_progress = FI_PROGRESS_MANUAL, .data_progress = FI_PROGRESS_MANUAL,
		.resource_mgmt = FI_RM_ENABLED, .av_type = FI_AV_TABLE, .mr_mode = offer->mr_mode,
		.mr_key_size = 8, .cq_data_size = offer->data_size, .cq_cnt = 256, .ep_cnt = 256,
		.tx_ctx_cnt = 256, .rx_ctx_cnt = 256, .max_ep_tx_ctx = 1, .max_ep_rx_ctx = 1,
		.cntr_cnt = 256, .mr_iov_limit = 1, .caps = FREE_CAPS, .max_err_data = 16};
	*info->fabric_attr = (struct fi_fabric_attr){
		.name = strdup("demanding"), .prov_name = strdup("demanding"),
		.prov_version = FI_VERSION(1, 0), .api_version = version};
	return info;
}

static void set_address(const struct offer *offer, uint32_t number, void **address, size_t *length)
{
	free(*address);
	*length = offer->addr_length;
	*address = calloc(1, *length);
	write_address(offer, number, *address);
}

uint32_t fi_version(void)
{
	return FI_VERSION(1, 17);
}

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
	       const struct fi_info *hints, struct fi_info **info)
{
	const char *name = node ? node : service;
	uint32_t number = name ? strtoul(name, NULL, 10) : 0;
	struct fi_info **end = info;

	GUARD(NULL, "fi_getinfo", -FI_EINVAL);
	DEMAND(info, FI_EINVAL, "info is NULL");
	*info = NULL;
	if (version > fi_version())
		return -FI_ENOSYS;
	DEMAND(version >= FI_VERSION(1, 5), FI_EINVAL, "version 0x%x is older than mr_mode bits",
	       version);
	ALLOW(FI_NUMERICHOST | FI_SOURCE | FI_PROV_ATTR_ONLY, flags);
	DEMAND(name || !(flags & FI_SOURCE), FI_EINVAL, "FI_SOURCE without node and service");
	if (hints && check_hints(hints))
		return -FI_EINVAL;
	for (size_t i = 0; i < OFFERS && (!name || number); i++) {
		if (hints && !fits(&offers[i], hints))
			continue;
		struct fi_info *made = make_info(&offers[i], hints, version);

		if (name && flags & FI_SOURCE)
			set_address(&offers[i], number, &made->src_addr, &made->src_addrlen);
		else if (name)
			set_address(&offers[i], number, &made->dest_addr, &made->dest_addrlen);
		*end = made;
		end = &made->next;
	}
	return *info ? 0 : -FI_ENODATA;
}

const char *fi_strerror(int error)
{
	static const char *const own[] = {
		"Unspecified error", "Provided buffer is too small",
		"Operation not permitted in current state", "Error available",
		"Flags not supported", "Missing or unavailable event queue",
		"Invalid resource domain",
		"Missing or unavailable completion queue", "CRC error", "Truncation error",
		"Required key not available", "Missing or unavailable address vector",
		"Queue has been overrun", "Receiver not ready, no receive buffers available"};

	return error < FI_ERRNO_OFFSET ? strerror(error)
	       : error < FI_ERRNO_MAX  ? own[error - FI_ERRNO_OFFSET]
				       : "Unknown error";
}
