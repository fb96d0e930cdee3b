// SPDX-License-Identifier: Apache-2.0
/** Reliable endpoints over TCP, which speak the protocol of libfabric's provider tcp. */
package org.ofi4j.provider.net.tcp;
