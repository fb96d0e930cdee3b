// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.nio.channels.SocketChannel;
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
 * a response or a refusal; with authorization keys, a challenge and a confirmation come in between,
 * and all messages prove keys, see {@link KeyStep}. A request with keys is refused if it names none
 * that the endpoint holds, and counts from when it has been confirmed: so a peer without the key
 * can neither replace a connection nor stand in the way of one. The caller decides what becomes of
 * the connection then. Guarded by the lock of the endpoint.
 */
public final class Handshake {
  // Not 0, and another one for each endpoint; C programs have their process id.
  private final int incarnation = ThreadLocalRandom.current().nextInt() | 1;
  private final int port;
  private final @Nullable KeyProofs proofs;
  private ExtensionBlock block;
  private Agreement last = Agreement.NONE;
  private final ConnectionMessage message = new ConnectionMessage();

  /**
   * For one endpoint.
   *
   * @param block what it says beyond libfabric's protocol, which C programs do not look at
   * @param proofs of having our authorization keys; null without such keys
   */
  public Handshake(int port, ExtensionBlock block, @Nullable KeyProofs proofs) {
    this.port = port;
    this.block = block;
    this.proofs = proofs;
  }

  /** Says from now on how much room there is for messages of one peer that come early. */
  public void room(long bytes) {
    block = block.withRoom(bytes);
  }

  // Of connections that we open.

  /** Asks a peer to which TCP has connected. */
  void request(Connection connection) throws IOException {
    Peer peer = connection.peer;
    if (proofs != null && peer != null) {
      SocketChannel channel = connection.channel();
      connection.dialogue =
          new KeyDialogue(
              proofs,
              peer.authKey,
              channel.getLocalAddress(),
              channel.getRemoteAddress(),
              connection.secure());
    }
    ask(connection, ConnectionMessage.Type.REQUEST);
    connection.requested();
  }

  private void ask(Connection connection, ConnectionMessage.Type kind) throws IOException {
    message.set(kind, ConnectionMessage.VERSION, 0, port, incarnation);
    sayWithBlock(connection);
  }

  private void sayWithBlock(Connection connection) throws IOException {
    KeyDialogue dialogue = connection.dialogue;
    message.add(dialogue == null ? block : block.withKeyPart(dialogue.keyPart()));
    message.writeTo(connection.out(), dialogue);
  }

  /**
   * Reads what a peer says to our request, and goes on with the proof of keys.
   *
   * @return what is agreed on if the peer accepts; null if more of its answer must come
   * @throws RefusedException if the peer does not want the connection
   */
  @Nullable Agreement answered(Connection connection) throws IOException {
    if (connection.peer == null || !connection.readGreeting()) {
      return null;
    }
    ConnectionMessage answer = connection.greeting();
    KeyDialogue dialogue = connection.dialogue;
    return switch (answer.type()) {
      case RESPONSE -> {
        if (!answer.isOfEndpoint()) {
          throw new ProtocolException("a response does not say who accepts");
        }
        if (dialogue != null) {
          if (dialogue.step() != KeyStep.RESPONSE) {
            throw new UnprovenException(
                "it takes no authorization keys: it is an endpoint without, or of another program");
          }
          prove(dialogue, answer);
        }
        yield agreed(answer.extension());
      }
      case CHALLENGE -> {
        if (dialogue == null) {
          throw new ProtocolException("a challenge came, but there are no authorization keys");
        }
        prove(dialogue, answer);
        ask(connection, ConnectionMessage.Type.CONFIRMATION);
        answer.clear();
        // Later bytes may have been decrypted already, and the selector does not report those.
        yield answered(connection);
      }
      case REFUSAL -> throw refusal(answer, dialogue);
      default -> throw new ProtocolException("something else came where an answer belongs");
    };
  }

  private static RefusedException refusal(
      ConnectionMessage answer, @Nullable KeyDialogue dialogue) {
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
   * Returns whether the initiator of a connection holds the same key; trivially without keys.
   *
   * @return false if the initiator has been challenged to confirm its request
   * @throws UnprovenException if it does not hold one of our keys
   */
  boolean isProven(Connection connection) throws IOException {
    ConnectionMessage request = connection.greeting();
    if (proofs == null) {
      ExtensionBlock its = request.extension();
      if (its != null && its.has(ExtensionBlock.AUTHORIZATION_KEY)) {
        throw new UnprovenException("it wants an authorization key, and this endpoint has none");
      }
      return true;
    }
    if (connection.dialogue != null) {
      prove(connection.dialogue, request);
      return true;
    }
    check(KeyStep.REQUEST, request);
    SocketChannel channel = connection.channel();
    KeyDialogue dialogue =
        new KeyDialogue(
            proofs,
            KeyDialogue.NO_KEY,
            channel.getRemoteAddress(),
            channel.getLocalAddress(),
            connection.secure());
    if (!dialogue.recognise(request.bytes())) {
      throw new UnprovenException("its authorization key is none that this endpoint holds");
    }
    connection.dialogue = dialogue;
    message.answer(request, ConnectionMessage.Type.CHALLENGE, incarnation);
    sayWithBlock(connection);
    request.clear();
    return false;
  }

  /** Accepts a connection; says what is agreed on. */
  Agreement respond(Connection connection) throws IOException {
    ConnectionMessage request = connection.greeting();
    ExtensionBlock its = request.extension();
    message.answer(request, ConnectionMessage.Type.RESPONSE, incarnation);
    if (its == null) {
      message.writeTo(connection.out(), connection.dialogue);
    } else {
      sayWithBlock(connection);
    }
    return agreed(its);
  }

  private Agreement agreed(@Nullable ExtensionBlock its) {
    last = Agreement.of(block, its, last);
    return last;
  }

  /** Tells a peer that its connection is not wanted. */
  void refuse(Connection connection) throws IOException {
    ConnectionMessage request = connection.greeting();
    if (request.isRequestOfRxm()) {
      message.refuseRxm();
    } else {
      message.answer(request, ConnectionMessage.Type.REFUSAL, request.incarnation());
    }
    message.writeTo(connection.out());
  }

  // Of both.

  private static void prove(KeyDialogue dialogue, ConnectionMessage message) throws IOException {
    check(dialogue.step(), message);
    if (!dialogue.verify(message.bytes())) {
      throw new UnprovenException(
          "it does not prove that it holds the authorization key, or addresses are translated on"
              + " the way");
    }
  }

  /** Refuses a message that is not that of a step, or has another key part. */
  static void check(KeyStep step, ConnectionMessage message) throws ProtocolException {
    ExtensionBlock its = message.extension();
    if (message.type() != step.message()) {
      throw new ProtocolException("a " + message.type() + " came where a " + step + " belongs");
    }
    if (its == null || !its.has(ExtensionBlock.AUTHORIZATION_KEY)) {
      throw new UnprovenException("it says nothing of an authorization key, which it must hold");
    }
    // The proof stands at the end of the message, and nothing is said behind it.
    if (its.keyPart().length != step.keyPart()
        || message.length() != ConnectionMessage.ENDPOINT_DATA + its.size()) {
      throw new ProtocolException(
          "a " + step + " came with " + message.length() + " bytes, which is no key part");
    }
  }
}
