// SPDX-License-Identifier: Apache-2.0
/** Event and completion queues. */
package org.ofi4j.core.queue;
