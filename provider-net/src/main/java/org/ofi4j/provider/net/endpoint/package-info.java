// SPDX-License-Identifier: Apache-2.0
/** What endpoints share, whatever they speak: addresses, memory, and what they are bound to. */
package org.ofi4j.provider.net.endpoint;
