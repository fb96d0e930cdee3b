/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 27 calls that post an operation in libdemanding.so: each makes a request of its arguments.
 */
#include "demanding-objects.h"

#define POST(fid, call, ...) return post(fid, call, &(struct request){__VA_ARGS__})
#define ONE(buffer, length, descriptor) \
	.iov = &(struct iovec){(void *)(buffer), length}, .desc = &(void *){descriptor}, .count = 1
#define MANY .iov = iov, .desc = desc, .count = count
#define OF_MSG \
	.iov = msg->msg_iov, .desc = msg->desc, .count = msg->iov_count, .peer = msg->addr, \
	.context = msg->context, .data = msg->data, .flags = flags
#define PLACE(address, length) \
	.places = &(struct fi_rma_iov){address, length, key}, .place_count = 1

static ssize_t msg_recv(struct fid_ep *ep, void *buffer, size_t length, void *desc, fi_addr_t peer,
			void *context)
{
	POST(ep, "fi_recv", .what = FI_MSG | FI_RECV, .plain = true, ONE(buffer, length, desc),
	     .peer = peer, .context = context);
}

static ssize_t msg_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			 fi_addr_t peer, void *context)
{
	POST(ep, "fi_recvv", .what = FI_MSG | FI_RECV, .plain = true, MANY, .peer = peer,
	     .context = context);
}

static ssize_t msg_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	POST(ep, "fi_recvmsg", .what = FI_MSG | FI_RECV, OF_MSG);
}

static ssize_t msg_send(struct fid_ep *ep, const void *buffer, size_t length, void *desc,
			fi_addr_t peer, void *context)
{
	POST(ep, "fi_send", .what = FI_MSG | FI_SEND, .plain = true, ONE(buffer, length, desc),
	     .peer = peer, .context = context);
}

static ssize_t msg_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			 fi_addr_t peer, void *context)
{
	POST(ep, "fi_sendv", .what = FI_MSG | FI_SEND, .plain = true, MANY, .peer = peer,
	     .context = context);
}

static ssize_t msg_sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	POST(ep, "fi_sendmsg", .what = FI_MSG | FI_SEND, OF_MSG);
}

static ssize_t msg_inject(struct fid_ep *ep, const void *buffer, size_t length, fi_addr_t peer)
{
	POST(ep, "fi_inject", .what = FI_MSG | FI_SEND, .silent = true, ONE(buffer, length, NULL),
	     .peer = peer);
}

static ssize_t msg_senddata(struct fid_ep *ep, const void *buffer, size_t length, void *desc,
			    uint64_t data, fi_addr_t peer, void *context)
{
	POST(ep, "fi_senddata", .what = FI_MSG | FI_SEND, .plain = true, ONE(buffer, length, desc),
	     .peer = peer, .context = context, .data = data, .flags = FI_REMOTE_CQ_DATA);
}

static ssize_t msg_injectdata(struct fid_ep *ep, const void *buffer, size_t length, uint64_t data,
			      fi_addr_t peer)
{
	POST(ep, "fi_injectdata", .what = FI_MSG | FI_SEND, .silent = true,
	     ONE(buffer, length, NULL), .peer = peer, .data = data, .flags = FI_REMOTE_CQ_DATA);
}

static ssize_t tagged_recv(struct fid_ep *ep, void *buffer, size_t length, void *desc,
			   fi_addr_t peer, uint64_t tag, uint64_t ignore, void *context)
{
	POST(ep, "fi_trecv", .what = FI_TAGGED | FI_RECV, .plain = true, ONE(buffer, length, desc),
	     .peer = peer, .context = context, .tag = tag, .ignore = ignore);
}

static ssize_t tagged_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			    fi_addr_t peer, uint64_t tag, uint64_t ignore, void *context)
{
	POST(ep, "fi_trecvv", .what = FI_TAGGED | FI_RECV, .plain = true, MANY, .peer = peer,
	     .context = context, .tag = tag, .ignore = ignore);
}

static ssize_t tagged_recvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
{
	POST(ep, "fi_trecvmsg", .what = FI_TAGGED | FI_RECV, OF_MSG, .tag = msg->tag,
	     .ignore = msg->ignore);
}

static ssize_t tagged_send(struct fid_ep *ep, const void *buffer, size_t length, void *desc,
			   fi_addr_t peer, uint64_t tag, void *context)
{
	POST(ep, "fi_tsend", .what = FI_TAGGED | FI_SEND, .plain = true, ONE(buffer, length, desc),
	     .peer = peer, .context = context, .tag = tag);
}

static ssize_t tagged_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			    fi_addr_t peer, uint64_t tag, void *context)
{
	POST(ep, "fi_tsendv", .what = FI_TAGGED | FI_SEND, .plain = true, MANY, .peer = peer,
	     .context = context, .tag = tag);
}

static ssize_t tagged_sendmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
{
	POST(ep, "fi_tsendmsg", .what = FI_TAGGED | FI_SEND, OF_MSG, .tag = msg->tag);
}

static ssize_t tagged_inject(struct fid_ep *ep, const void *buffer, size_t length, fi_addr_t peer,
			     uint64_t tag)
{
	POST(ep, "fi_tinject", .what = FI_TAGGED | FI_SEND, .silent = true,
	     ONE(buffer, length, NULL), .peer = peer, .tag = tag);
}

static ssize_t tagged_senddata(struct fid_ep *ep, const void *buffer, size_t length, void *desc,
			       uint64_t data, fi_addr_t peer, uint64_t tag, void *context)
{
	POST(ep, "fi_tsenddata", .what = FI_TAGGED | FI_SEND, .plain = true,
	     ONE(buffer, length, desc), .peer = peer, .context = context, .tag = tag, .data = data,
	     .flags = FI_REMOTE_CQ_DATA);
}

static ssize_t tagged_injectdata(struct fid_ep *ep, const void *buffer, size_t length,
				 uint64_t data, fi_addr_t peer, uint64_t tag)
{
	POST(ep, "fi_tinjectdata", .what = FI_TAGGED | FI_SEND, .silent = true,
	     ONE(buffer, length, NULL), .peer = peer, .tag = tag, .data = data,
	     .flags = FI_REMOTE_CQ_DATA);
}

static ssize_t rma_read(struct fid_ep *ep, void *buffer, size_t length, void *desc, fi_addr_t peer,
			uint64_t address, uint64_t key, void *context)
{
	POST(ep, "fi_read", .what = FI_RMA | FI_READ, .plain = true, ONE(buffer, length, desc),
	     .peer = peer, .context = context, PLACE(address, length));
}

static ssize_t rma_readv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			 fi_addr_t peer, uint64_t address, uint64_t key, void *context)
{
	POST(ep, "fi_readv", .what = FI_RMA | FI_READ, .plain = true, MANY, .peer = peer,
	     .context = context, PLACE(address, iov ? total(iov, count) : 0));
}

static ssize_t rma_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
	POST(ep, "fi_readmsg", .what = FI_RMA | FI_READ, OF_MSG, .places = msg->rma_iov,
	     .place_count = msg->rma_iov_count);
}

static ssize_t rma_write(struct fid_ep *ep, const void *buffer, size_t length, void *desc,
			 fi_addr_t peer, uint64_t address, uint64_t key, void *context)
{
	POST(ep, "fi_write", .what = FI_RMA | FI_WRITE, .plain = true, ONE(buffer, length, desc),
	     .peer = peer, .context = context, PLACE(address, length));
}

static ssize_t rma_writev(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			  fi_addr_t peer, uint64_t address, uint64_t key, void *context)
{
	POST(ep, "fi_writev", .what = FI_RMA | FI_WRITE, .plain = true, MANY, .peer = peer,
	     .context = context, PLACE(address, iov ? total(iov, count) : 0));
}

static ssize_t rma_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
	POST(ep, "fi_writemsg", .what = FI_RMA | FI_WRITE, OF_MSG, .places = msg->rma_iov,
	     .place_count = msg->rma_iov_count);
}

static ssize_t rma_inject(struct fid_ep *ep, const void *buffer, size_t length, fi_addr_t peer,
			  uint64_t address, uint64_t key)
{
	POST(ep, "fi_inject_write", .what = FI_RMA | FI_WRITE, .silent = true,
	     ONE(buffer, length, NULL), .peer = peer, PLACE(address, length));
}

static ssize_t rma_writedata(struct fid_ep *ep, const void *buffer, size_t length, void *desc,
			     uint64_t data, fi_addr_t peer, uint64_t address, uint64_t key,
			     void *context)
{
	POST(ep, "fi_writedata", .what = FI_RMA | FI_WRITE, .plain = true,
	     ONE(buffer, length, desc), .peer = peer, .context = context, PLACE(address, length),
	     .data = data, .flags = FI_REMOTE_CQ_DATA);
}

static ssize_t rma_injectdata(struct fid_ep *ep, const void *buffer, size_t length, uint64_t data,
			      fi_addr_t peer, uint64_t address, uint64_t key)
{
	POST(ep, "fi_inject_writedata", .what = FI_RMA | FI_WRITE, .silent = true,
	     ONE(buffer, length, NULL), .peer = peer, PLACE(address, length), .data = data,
	     .flags = FI_REMOTE_CQ_DATA);
}

struct fi_ops_msg msg_ops = {
	.size = sizeof(msg_ops), .recv = msg_recv, .recvv = msg_recvv, .recvmsg = msg_recvmsg,
	.send = msg_send, .sendv = msg_sendv, .sendmsg = msg_sendmsg, .inject = msg_inject,
	.senddata = msg_senddata, .injectdata = msg_injectdata};

struct fi_ops_tagged tagged_ops = {
	.size = sizeof(tagged_ops), .recv = tagged_recv, .recvv = tagged_recvv,
	.recvmsg = tagged_recvmsg, .send = tagged_send, .sendv = tagged_sendv,
	.sendmsg = tagged_sendmsg, .inject = tagged_inject, .senddata = tagged_senddata,
	.injectdata = tagged_injectdata};

struct fi_ops_rma rma_ops = {
	.size = sizeof(rma_ops), .read = rma_read, .readv = rma_readv, .readmsg = rma_readmsg,
	.write = rma_write, .writev = rma_writev, .writemsg = rma_writemsg, .inject = rma_inject,
	.writedata = rma_writedata, .injectdata = rma_injectdata};
