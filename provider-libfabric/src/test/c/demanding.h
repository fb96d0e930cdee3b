/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libdemanding.so exports beside the six functions of libfabric. See demanding.c.
 */
#ifndef DEMANDING_H
#define DEMANDING_H

/* The first violation since the last reset, or NULL. The text lasts until the next reset. */
const char *demanding_violation(void);

/* How many violations there were since the last reset. */
long demanding_violations(void);

/* Forgets the violations, and what the two functions at the end said. */
void demanding_reset(void);

/* How many are open: "fabric", "domain", "ep", "av", "cq", "cntr", "eq", "mr"; or "info". */
long demanding_live(const char *what);

/*
 * Every n-th message with a context and a length fails from now on, with EIO (5), provider's number
 * 42 and error data; none if n is 0. At first n is DEMANDING_FAIL_EVERY of the environment, or 0.
 */
void demanding_fail_every(int n);

/* Whether FI_MSG_PREFIX is demanded also of those who did not say that they can, as a bug would. */
void demanding_offer_prefix(int offer);

#endif
