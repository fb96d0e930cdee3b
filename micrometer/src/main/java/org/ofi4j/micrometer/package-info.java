// SPDX-License-Identifier: Apache-2.0
/** Meters of Micrometer for what vectors, endpoints and queues count. */
package org.ofi4j.micrometer;
