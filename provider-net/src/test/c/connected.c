/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer that connects and is connected to, with endpoints of type FI_EP_MSG: one after the other.
 * See peer.h. Its argument is the provider, net or tcp; its name is where it listens.
 *
 *   connect HOST PORT NUMBER SIZE   connecting    with SIZE bytes of content NUMBER as data
 *   accept NUMBER SIZE              accepted      the request that came last
 *   reject NUMBER SIZE              rejected      the same
 *   event CONTENT                   request LENGTH | connected LENGTH | shutdown | failed ERRNO LENGTH
 *                                                 compares the data with content CONTENT
 *   send NUMBER SIZE                posted
 *   receive NUMBER SIZE             posted
 *   await NUMBER                    sent | received LENGTH | failed ERRNO
 *   shutdown                        down
 *   close                           closed        the endpoint, for the next one
 */
#include "peer.h"

#define MOST_DATA 256

static struct fi_info *request;

static void open_endpoint(struct fi_info *with)
{
	checked(fi_endpoint(domain, with, &endpoint, NULL), "fi_endpoint");
	checked(fi_ep_bind(endpoint, &events->fid, 0), "fi_ep_bind of the event queue");
	checked(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind of the queue");
	checked(fi_enable(endpoint), "fi_enable");
}

static void open_all(const char *provider)
{
	struct fi_info *hints = fi_allocinfo();
	struct fi_eq_attr event_attributes = {.wait_obj = FI_WAIT_UNSPEC};
	struct fi_cq_attr queue_attributes = {.format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE};
	char name[128], host[128], port[16];
	size_t length = sizeof(name);

	if (!hints)
		fail("fi_allocinfo");
	hints->caps = FI_MSG;
	hints->ep_attr->type = FI_EP_MSG;
	hints->fabric_attr->prov_name = strdup(provider);
	checked(fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", "0", FI_SOURCE, hints, &info), "fi_getinfo");
	checked(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
	checked(fi_eq_open(fabric, &event_attributes, &events, NULL), "fi_eq_open");
	checked(fi_passive_ep(fabric, info, &passive, NULL), "fi_passive_ep");
	checked(fi_pep_bind(passive, &events->fid, 0), "fi_pep_bind");
	checked(fi_listen(passive), "fi_listen");
	checked(fi_domain(fabric, info, &domain, NULL), "fi_domain");
	checked(fi_cq_open(domain, &queue_attributes, &queue, NULL), "fi_cq_open");
	checked(fi_getname(&passive->fid, name, &length), "fi_getname");
	if (getnameinfo((struct sockaddr *) name, (socklen_t) length, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		fail("getnameinfo");
	fi_freeinfo(hints);
	answer("name %s %s", host, port);
}

/* Data of a connection, with the content that two words of the command name. */
static char *data_at(int index, size_t *size)
{
	static char data[MOST_DATA];

	*size = number_at(index + 1);
	if (*size > MOST_DATA)
		fail("more than %d bytes of data", MOST_DATA);
	fill(data, *size, number_at(index), 0);
	return data;
}

static void connect_endpoint(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	size_t size;
	char *data = data_at(3, &size);

	address.sin_port = htons((uint16_t) number_at(2));
	if (inet_pton(AF_INET, words[1], &address.sin_addr) != 1)
		fail("no IPv4 address");
	open_endpoint(info);
	checked(fi_connect(endpoint, &address, data, size), "fi_connect");
	answer("connecting");
}

static void accept_request(void)
{
	size_t size;
	char *data = data_at(1, &size);

	open_endpoint(request);
	checked(fi_accept(endpoint, data, size), "fi_accept");
	answer("accepted");
}

static void reject_request(void)
{
	size_t size;
	char *data = data_at(1, &size);

	checked(fi_reject(passive, request->handle, data, size), "fi_reject");
	answer("rejected");
}

static void await_event(void)
{
	static char memory[sizeof(struct fi_eq_cm_entry) + MOST_DATA];
	struct fi_eq_cm_entry *entry = (struct fi_eq_cm_entry *) memory;
	struct fi_eq_err_entry failure = {0};
	double end = seconds() + PATIENCE_SECONDS;
	uint32_t event = 0;
	ssize_t result;

	while ((result = fi_eq_read(events, &event, memory, sizeof(memory), 0)) == -FI_EAGAIN) {
		progress();
		if (seconds() > end)
			fail("no event");
	}
	if (result == -FI_EAVAIL) {
		checked(fi_eq_readerr(events, &failure, 0), "fi_eq_readerr");
		verify(failure.err_data, failure.err_data_size, number_at(1), 0);
		answer("failed %d %zu", failure.err, failure.err_data_size);
		return;
	}
	checked(result, "fi_eq_read");
	size_t length = (size_t) result - sizeof(*entry);
	verify((char *) entry->data, length, number_at(1), 0);
	if (event == FI_CONNREQ) {
		if (request)
			fi_freeinfo(request);
		request = entry->info;
		answer("request %zu", length);
	} else if (entry->fid != &endpoint->fid) {
		fail("an event of another endpoint");
	} else if (event == FI_CONNECTED) {
		answer("connected %zu", length);
	} else if (event == FI_SHUTDOWN) {
		answer("shutdown");
	} else {
		fail("event %u", event);
	}
}

static void send_message(void)
{
	struct operation *sent = operation(number_at(1), number_at(2));

	fill(sent->memory, sent->size, sent->number, 0);
	POST(fi_send(endpoint, sent->memory, sent->size, NULL, 0, sent));
	answer("posted");
}

static void receive_message(void)
{
	struct operation *received = operation(number_at(1), number_at(2));

	POST(fi_recv(endpoint, received->memory, received->size, NULL, 0, received));
	answer("posted");
}

static void await_message(void)
{
	struct operation *awaited = find_operation(number_at(1));

	await(awaited);
	if (awaited->error) {
		answer("failed %d", awaited->error);
	} else if (awaited->completion.flags & FI_SEND) {
		answer("sent");
	} else {
		verify(awaited->memory, awaited->completion.len, awaited->number, 0);
		answer("received %zu", awaited->completion.len);
	}
}

int main(int count, char **arguments)
{
	open_all(count > 1 ? arguments[1] : "tcp");
	while (next_command()) {
		if (!strcmp(words[0], "connect")) {
			connect_endpoint();
		} else if (!strcmp(words[0], "accept")) {
			accept_request();
		} else if (!strcmp(words[0], "reject")) {
			reject_request();
		} else if (!strcmp(words[0], "event")) {
			await_event();
		} else if (!strcmp(words[0], "send")) {
			send_message();
		} else if (!strcmp(words[0], "receive")) {
			receive_message();
		} else if (!strcmp(words[0], "await")) {
			await_message();
		} else if (!strcmp(words[0], "shutdown")) {
			checked(fi_shutdown(endpoint, 0), "fi_shutdown");
			answer("down");
		} else if (!strcmp(words[0], "close")) {
			checked(fi_close(&endpoint->fid), "fi_close of the endpoint");
			endpoint = NULL;
			answer("closed");
		} else {
			fail("no such command");
		}
	}
	return 0;
}
