// SPDX-License-Identifier: Apache-2.0
/** The protocol of libfabric's fi_pingpong, as docs/pingpong.md describes it. */
package org.ofi4j.cli.pingpong;
