// SPDX-License-Identifier: Apache-2.0
/** Endpoints over UDP and TCP. */
package org.ofi4j.provider.net;
