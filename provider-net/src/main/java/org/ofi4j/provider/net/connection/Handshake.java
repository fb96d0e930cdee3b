// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.ThreadLocalRandom;
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
 * The connection messages of an endpoint that opens and accepts its connections by itself: what it
 * says of itself and hears of a peer before frames go over a connection. A request is answered with
 * a response or a refusal; with authorization keys, a {@link KeyExchange} proves them in between.
 * The caller decides what becomes of the connection then. Guarded by the lock of the endpoint.
 */
public final class Handshake {
  // Not 0, and another one for each endpoint; C programs have their process id.
  private final int incarnation = ThreadLocalRandom.current().nextInt() | 1;
  private final int port;
  private ExtensionBlock block;
  private Agreement last = Agreement.NONE;
  private final ConnectionMessage message = new ConnectionMessage();
  private final ByteBuffer out = ByteBuffer.allocateDirect(ConnectionMessage.MAX_SIZE);

  private final @Nullable KeyExchange keys;
  private final Rejections rejections;
  private final ConnectionMessage answer = new ConnectionMessage();

  /**
   * For one endpoint.
   *
   * @param block what it says beyond libfabric's protocol, which C programs do not look at
   * @param proofs of having our authorization keys; null without such keys
   */
  @SuppressWarnings("this-escape") // kept for later
  public Handshake(
      int port, ExtensionBlock block, @Nullable KeyProofs proofs, Rejections rejections) {
    this.port = port;
    this.block = block;
    this.rejections = rejections;
    keys = proofs == null ? null : new KeyExchange(this, proofs);
  }

  Rejections rejections() {
    return rejections;
  }

  /** Says from now on how much room there is for messages of one peer that come early. */
  public void room(long bytes) {
    block = block.withRoom(bytes);
  }

  // Of connections that we open.

  /** Asks a peer to which TCP has connected. */
  void request(Connection connection) throws IOException {
    Peer peer = connection.peer;
    if (keys != null && peer != null) {
      keys.ask(connection, peer);
    }
    ask(connection.out(), ConnectionMessage.Type.REQUEST, connection.dialogue);
    connection.requested();
  }

  /** Asks once more, and proves that we hold the key. */
  void confirm(WritableByteChannel channel, KeyDialogue dialogue) throws IOException {
    ask(channel, ConnectionMessage.Type.CONFIRMATION, dialogue);
  }

  private void ask(
      WritableByteChannel channel, ConnectionMessage.Type kind, @Nullable KeyDialogue dialogue)
      throws IOException {
    message.set(kind, ConnectionMessage.VERSION, 0, port, incarnation);
    message.add(block(dialogue));
    message.writeTo(channel, out, dialogue);
  }

  private ExtensionBlock block(@Nullable KeyDialogue dialogue) {
    return dialogue == null ? block : block.withKeyPart(dialogue.keyPart());
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
        // Later bytes may have been decrypted already, and the selector does not report those.
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
    return agreed(answer.extension());
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

  /** Proves to the initiator that we hold the key, and wants the same of it. */
  void challenge(WritableByteChannel channel, ConnectionMessage request, KeyDialogue dialogue)
      throws IOException {
    message.answer(request, ConnectionMessage.Type.CHALLENGE, incarnation);
    message.add(block(dialogue));
    message.writeTo(channel, out, dialogue);
  }

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
    message.answer(request, ConnectionMessage.Type.RESPONSE, incarnation);
    if (its != null) {
      message.add(block(connection.dialogue));
    }
    message.writeTo(connection.out(), out, connection.dialogue);
    return agreed(its);
  }

  private Agreement agreed(@Nullable ExtensionBlock its) {
    Agreement agreed = Agreement.of(block, its, last);
    last = agreed;
    return agreed;
  }

  /** Tells a peer that its connection is not wanted. */
  void refuse(Connection connection, ConnectionMessage request) throws IOException {
    message.answer(request, ConnectionMessage.Type.REFUSAL, request.incarnation());
    message.writeTo(connection.out(), out);
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
    message.refuseRxm();
    message.writeTo(connection.out(), out);
  }
}
