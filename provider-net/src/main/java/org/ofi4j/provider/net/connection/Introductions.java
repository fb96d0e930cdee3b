// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.security.KeyDialogue;
import org.ofi4j.provider.net.security.KeyProofs;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ExtensionBlock;
import org.ofi4j.provider.net.wire.KeyStep;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * What is said over a connection before it is open, by an endpoint that opens and accepts its
 * connections by itself: requests, their answers, and proofs of keys between them. What becomes of
 * the connection then is not decided here. Guarded by the lock of the endpoint.
 */
public final class Introductions {
  private final Handshake handshake;
  private final @Nullable KeyExchange keys;
  private final Rejections rejections;
  private final ConnectionMessage answer = new ConnectionMessage();

  /**
   * For one endpoint.
   *
   * @param handshake says what the endpoint is
   * @param proofs of having our authorization keys; null without such keys
   */
  public Introductions(Handshake handshake, @Nullable KeyProofs proofs, Rejections rejections) {
    this.handshake = handshake;
    keys = proofs == null ? null : new KeyExchange(handshake, proofs);
    this.rejections = rejections;
  }

  Rejections rejections() {
    return rejections;
  }

  // Of connections that we open.

  /** Asks a peer to which TCP has connected. */
  void request(Connection connection) throws IOException {
    Peer peer = connection.peer;
    if (keys != null && peer != null) {
      keys.ask(connection, peer);
    }
    handshake.request(connection.out(), connection.dialogue);
    connection.requested();
  }

  ConnectionMessage answer() {
    return answer;
  }

  /**
   * Reads what a peer says to our request, and goes on with the proof of keys.
   *
   * @return what is agreed on if the peer accepts; null if more of its answer must come
   * @throws RefusedException if the peer does not want the connection
   */
  @Nullable Agreement answered(Connection connection) throws IOException {
    if (connection.peer == null || !connection.readGreeting(answer)) {
      return null;
    }
    return switch (answer.type()) {
      case RESPONSE -> accepted(connection);
      case REFUSAL -> throw refusal(connection);
      case CHALLENGE -> {
        if (keys == null) {
          throw new ProtocolException("a challenge came, but there are no authorization keys");
        }
        keys.confirm(connection, answer);
        // What follows may have been decrypted already, of which no selector knows.
        yield answered(connection);
      }
      default -> throw new ProtocolException("something else came where an answer belongs");
    };
  }

  private Agreement accepted(Connection connection) throws IOException {
    if (!answer.isOfEndpoint()) {
      throw new ProtocolException("a response does not say who accepts");
    }
    if (keys != null) {
      keys.accepted(connection, answer);
    }
    return handshake.accepted(answer);
  }

  private RefusedException refusal(Connection connection) {
    KeyDialogue dialogue = connection.dialogue;
    if (answer.isRefusalOfRxm()) {
      return new RefusedException(
          Errno.ECONNREFUSED,
          "it refuses the connection as tcp;ofi_rxm does, which is another protocol: open the C"
              + " program's endpoint with provider tcp alone, FI_PROTO_XNET (net in libfabric"
              + " 1.16 and 1.17)");
    }
    return dialogue != null && dialogue.step() == KeyStep.CHALLENGE
        ? new RefusedException(
            Errno.EKEYREJECTED, "it does not hold the authorization key, or takes none")
        : new RefusedException(Errno.ECONNREFUSED, "it refuses the connection");
  }

  // Of connections that others open.

  /**
   * Whether the initiator holds the same key; trivially without keys.
   *
   * @return false if that is not known yet
   */
  boolean isProven(Connection connection, ConnectionMessage request, @Nullable ExtensionBlock its)
      throws IOException {
    if (keys != null) {
      return keys.isConfirmed(connection, request, its);
    }
    if (its != null && its.has(ExtensionBlock.AUTHORIZATION_KEY)) {
      throw new UnprovenException("it wants an authorization key, and this endpoint has none");
    }
    return true;
  }

  /** Accepts a connection; says what is agreed on. */
  Agreement respond(Connection connection, ConnectionMessage request, @Nullable ExtensionBlock its)
      throws IOException {
    return handshake.accept(connection.out(), request, its, connection.dialogue);
  }

  /** Tells a peer that its connection is not wanted. */
  void refuse(Connection connection, ConnectionMessage request) throws IOException {
    handshake.refuse(connection.out(), request);
  }

  /** Tells a peer the same, because it holds no key that it should hold. */
  void refuse(Connection connection, ConnectionMessage request, UnprovenException reason)
      throws IOException {
    rejections.note(connection, reason);
    refuse(connection, request);
  }

  /** Tells a peer that it speaks another protocol, of which the messages are the same. */
  void refuseRxm(Connection connection) throws IOException {
    rejections.warn(
        connection,
        "it asks as tcp;ofi_rxm does, which is another protocol: C programs reach this endpoint"
            + " with provider tcp alone, FI_PROTO_XNET (net in libfabric 1.16 and 1.17), and"
            + " without atomics");
    handshake.refuseRxm(connection.out());
  }
}
