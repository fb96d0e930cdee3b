/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times the address vector of the libfabric of this machine, told what to do by lines on standard
 * input. It answers each with "ok" and numbers, or "error" and the reason, and ends with its input.
 *
 *   load LIST COUNT LENGTH FILE    packed addresses: list 0, or list 1 to exchange them for
 *   order COUNT FILE               positions in random order, 32 bits each
 *   insert HINT                    opens a vector and inserts list 0 in one call       ok nanos
 *   insert-singly                  the same without a hint, one call for each address  ok nanos
 *   insert-symmetric NODE NODES SERVICE SERVICES   in a vector with that hint          ok nanos
 *   lookup                         all, in random order                                ok nanos sum
 *   churn CYCLES                   removes and inserts from the other list, by turns   ok nanos
 *   remove                         all in one call, in the order of insertion          ok nanos
 *   remove-randomly                all in one call, in random order                    ok nanos
 *   close                          the vector                                          ok
 *   resident                       private memory of the process                       ok bytes
 *
 * What only prepares or checks happens outside the time.
 */
#include "program.h"
#include "libfabric.h"
#include "lists.h"

/* One domain for each length of address. */
struct opened {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
};

static const char *provider;
static struct opened opened[2];
static struct opened *current;
static struct fid_av *vector;

static fi_addr_t *handles;
/* Handles in the order of lookups and removals. */
static fi_addr_t *ordered;
static int list_in_use;

static struct opened *open_domain(size_t address_length)
{
	struct opened *o = &opened[address_length == 16 ? 0 : 1];
	struct fi_info *hints;

	if (o->domain)
		return o;
	hints = need(fi_allocinfo());
	hints->fabric_attr->prov_name = strdup(provider);
	hints->ep_attr->type = strcmp(provider, "udp") ? FI_EP_RDM : FI_EP_DGRAM;
	hints->addr_format = address_length == 16 ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6;
	hints->mode = ~0ull;
	hints->domain_attr->mode = ~0ull;
	hints->domain_attr->mr_mode = ~3;
	check("fi_getinfo", fi_getinfo(VERSION, NULL, NULL, 0, hints, &o->info));
	fi_freeinfo(hints);
	check("fi_fabric", fi_fabric(o->info->fabric_attr, &o->fabric, NULL));
	check("fi_domain", fi_domain(o->fabric, o->info, &o->domain, NULL));
	return o;
}

static void close_vector(void)
{
	if (!vector)
		return;
	check("fi_close of the vector", fi_close(&vector->fid));
	vector = NULL;
}

static void open_vector(size_t hint)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .count = hint };

	close_vector();
	if (!current)
		fail_plain("nothing was loaded");
	check("fi_av_open", fi_av_open(current->domain, &attr, &vector, NULL));
	list_in_use = 0;
}

static void load(int list, size_t new_count, size_t new_length, const char *name)
{
	close_vector();
	current = open_domain(new_length);
	load_list(list, new_count, new_length, name);
	if (list == 0) {
		free(handles);
		free(ordered);
		handles = need(malloc((count + 1) * sizeof *handles));
		ordered = need(malloc((count + 1) * sizeof *ordered));
		/* Touched now, so that neither time nor memory of a measurement holds it. */
		memset(handles, 0xff, (count + 1) * sizeof *handles);
		memset(ordered, 0xff, (count + 1) * sizeof *ordered);
	}
}

static void put_in_order(void)
{
	size_t i;

	if (!order)
		fail_plain("no order was loaded");
	for (i = 0; i < count; i++)
		ordered[i] = handles[order[i]];
}

static uint64_t insert(size_t hint)
{
	uint64_t begin, nanos;
	int ret;

	open_vector(hint);
	begin = now();
	ret = fi_av_insert(vector, lists[0], count, handles, 0, NULL);
	nanos = now() - begin;
	if (ret < 0 || (size_t)ret != count)
		fail("fi_av_insert", ret);
	return nanos;
}

static uint64_t insert_singly(void)
{
	uint64_t begin, nanos;
	size_t i, inserted = 0;

	open_vector(0);
	begin = now();
	for (i = 0; i < count; i++)
		inserted += fi_av_insert(vector, lists[0] + i * length, 1, &handles[i], 0, NULL) == 1;
	nanos = now() - begin;
	if (inserted != count)
		fail_plain("fi_av_insert refused addresses");
	return nanos;
}

static uint64_t insert_symmetric(const char *node, size_t nodes, const char *service, size_t services)
{
	fi_addr_t *answers = need(malloc(nodes * services * sizeof *answers));
	uint64_t begin, nanos;
	int ret;

	memset(answers, 0xff, nodes * services * sizeof *answers);
	open_vector(nodes * services);
	begin = now();
	ret = fi_av_insertsym(vector, node, nodes, service, services, answers, 0, NULL);
	nanos = now() - begin;
	if (ret < 0 || (size_t)ret != nodes * services)
		fail("fi_av_insertsym", ret);
	free(answers);
	return nanos;
}

static uint64_t look_up(uint64_t *total)
{
	uint64_t begin = 0, nanos = 0, sum = 0;
	uint64_t buffer[4];
	size_t i, size, refused = 0;
	int pass;

	put_in_order();
	/* The second pass counts: the first finds the caches full of other things. */
	for (pass = 0; pass < 2; pass++) {
		sum = 0;
		begin = now();
		for (i = 0; i < count; i++) {
			size = sizeof buffer;
			refused += fi_av_lookup(vector, ordered[i], buffer, &size) != 0;
			sum += buffer[0] + buffer[1];
		}
		nanos = now() - begin;
	}
	if (refused)
		fail_plain("fi_av_lookup refused handles");
	*total = sum;
	return nanos;
}

static uint64_t churn(size_t cycles)
{
	const unsigned char *other = lists[1 - list_in_use];
	uint64_t begin, nanos;
	size_t i, done = 0;

	if (cycles > count || !order || !other)
		fail_plain("churn needs an order, a second list, and no more cycles than addresses");
	begin = now();
	for (i = 0; i < cycles; i++) {
		size_t at = order[i];

		done += fi_av_remove(vector, &handles[at], 1, 0) == 0 &&
			fi_av_insert(vector, other + at * length, 1, &handles[at], 0, NULL) == 1;
	}
	nanos = now() - begin;
	if (done != cycles)
		fail_plain("an exchange of addresses failed");
	list_in_use = 1 - list_in_use;
	return nanos;
}

static uint64_t remove_all(fi_addr_t *which)
{
	uint64_t begin = now(), nanos;
	int ret = fi_av_remove(vector, which, count, 0);

	nanos = now() - begin;
	check("fi_av_remove", ret);
	return nanos;
}

static uint64_t resident(void)
{
	char line[256];
	unsigned long kilobytes = 0;
	FILE *file = fopen("/proc/self/status", "r");

	if (!file)
		return 0;
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "RssAnon: %lu", &kilobytes) == 1)
			break;
	fclose(file);
	return (uint64_t)kilobytes * 1024;
}

static void need_vector(void)
{
	if (!vector)
		fail_plain("no vector is open");
}

static void obey(char *line)
{
	char name[4096], service[64];
	size_t a, b;
	int list;
	uint64_t nanos, sum;

	if (sscanf(line, "load %d %zu %zu %4095[^\n]", &list, &a, &b, name) == 4 && (list == 0 || list == 1)) {
		load(list, a, b, name);
		printf("ok %s\n", current->info->fabric_attr->prov_name);
	} else if (sscanf(line, "order %zu %4095[^\n]", &a, name) == 2) {
		load_order(a, name);
		ok(a);
	} else if (sscanf(line, "insert %zu", &a) == 1) {
		ok(insert(a));
	} else if (!strcmp(line, "insert-singly\n")) {
		ok(insert_singly());
	} else if (sscanf(line, "insert-symmetric %4095s %zu %63s %zu", name, &a, service, &b) == 4) {
		ok(insert_symmetric(name, a, service, b));
	} else if (!strcmp(line, "lookup\n")) {
		need_vector();
		nanos = look_up(&sum);
		printf("ok %" PRIu64 " %" PRIu64 "\n", nanos, sum);
	} else if (sscanf(line, "churn %zu", &a) == 1) {
		need_vector();
		ok(churn(a));
	} else if (!strcmp(line, "remove\n")) {
		need_vector();
		memcpy(ordered, handles, count * sizeof *ordered);
		ok(remove_all(ordered));
	} else if (!strcmp(line, "remove-randomly\n")) {
		need_vector();
		put_in_order();
		ok(remove_all(ordered));
	} else if (!strcmp(line, "close\n")) {
		close_vector();
		ok(0);
	} else if (!strcmp(line, "resident\n")) {
		ok(resident());
	} else {
		fail_plain("unknown command");
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[8192];
	uint32_t version = fi_version();

	if (argc != 3) {
		fprintf(stderr, "usage: %s PROVIDER wall|cpu\n", argv[0]);
		return 2;
	}
	provider = argv[1];
	if (!strcmp(argv[2], "cpu"))
		time_source = CLOCK_THREAD_CPUTIME_ID;
	printf("ok %u.%u\n", FI_MAJOR(version), FI_MINOR(version));
	fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		obey(line);
	return 0;
}
