// SPDX-License-Identifier: Apache-2.0
/**
 * Which message meets which receive, in whichever order they come, and how a receive ends. Messages
 * that come before a receive are kept here, within bounds.
 *
 * <p>Other rooms use matching, receives and their contexts, and senders. This room uses {@code
 * transfer}, {@code wire} and {@code endpoint}. Read {@link
 * org.ofi4j.provider.net.matching.Matching} first, then {@link
 * org.ofi4j.provider.net.matching.ReceiveContext} and {@link
 * org.ofi4j.provider.net.matching.UnexpectedRoom}, which counts the memory for early messages.
 */
package org.ofi4j.provider.net.matching;
