// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.TransportSecurity;
import org.ofi4j.core.queue.CoreEventQueue;

/**
 * What an application has said of a passive endpoint when it was opened.
 *
 * @param security what connections have to be; null for connections in the clear
 * @param backlog how many requests may wait for an answer
 * @param answerTimeout how long they may, in nanoseconds
 */
record ListeningSettings(
    PassiveEndpoint endpoint,
    FabricInfo info,
    CoreEventQueue events,
    @Nullable TransportSecurity security,
    int backlog,
    long answerTimeout) {}
