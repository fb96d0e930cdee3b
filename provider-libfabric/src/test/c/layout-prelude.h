/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what the headers of the installed libfabric say. A test writes the program:
 *
 *   #include "layout-prelude.h"
 *   int main(void)
 *   {
 *     SIZE(struct fi_info);           struct fi_info 120
 *     OFFSET(struct fi_info, caps);   struct fi_info caps 8 8           offset, size
 *     VALUE(FI_MSG);                  FI_MSG 2                          signed, of 64 bits
 *   }
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#define SIZE(type) printf("%s %zu\n", #type, sizeof(type))
#define OFFSET(type, member) \
	printf("%s %s %zu %zu\n", #type, #member, offsetof(type, member), \
	       sizeof(((type *)0)->member))
#define VALUE(constant) printf("%s %lld\n", #constant, (long long)(constant))
