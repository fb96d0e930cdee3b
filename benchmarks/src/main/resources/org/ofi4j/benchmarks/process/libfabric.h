/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs have that drive libfabric. */
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#define VERSION FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION)

static inline void fail(const char *what, long code)
{
	printf("error %s: %s (%ld)\n", what, fi_strerror((int)(code < 0 ? -code : code)), code);
	fflush(stdout);
	exit(1);
}

static inline void check(const char *what, int ret)
{
	if (ret)
		fail(what, ret);
}
