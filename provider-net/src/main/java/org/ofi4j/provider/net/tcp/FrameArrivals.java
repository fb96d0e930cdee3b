package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.NetworkErrors;

/**
 * What becomes of the frames that come over an endpoint's connections: here each operation finds
 * the class that knows what to do with it. Guarded by the lock of the endpoint.
 */
final class FrameArrivals implements FrameHandler {
  private final @Nullable Matching matching;
  private final RemoteAccess remote;

  /**
   * For one endpoint.
   *
   * @param matching takes messages, or null if the endpoint only sends
   * @param remote takes what reaches for our memory
   */
  FrameArrivals(@Nullable Matching matching, RemoteAccess remote) {
    this.matching = matching;
    this.remote = remote;
  }

  @Override
  public @Nullable Arrival begin(Connection connection, FrameHeader header)
      throws ProtocolException {
    Peer from = connection.peer;
    Matching messages = matching;
    switch (header.operation()) {
      case FrameHeader.MESSAGE, FrameHeader.TAGGED -> {
        if (from != null && messages != null) {
          return messages.begin(connection, from, header);
        }
      }
      case FrameHeader.READ_REQUEST, FrameHeader.WRITE -> {
        return remote.begin(connection, header);
      }
      case FrameHeader.READ_RESPONSE -> {
        return answered(connection, header);
      }
      default -> {
        // Refused below.
      }
    }
    throw new ProtocolException("a frame came that this endpoint does not take");
  }

  /** The read that an answer is for, which says where its bytes go. */
  private static Send answered(Connection connection, FrameHeader header) throws ProtocolException {
    Send read = connection.writer().firstUnanswered();
    if (read == null || read.message.length() != header.payload()) {
      throw new ProtocolException("an answer came that no read waits for");
    }
    connection.writer().pollUnanswered();
    return read;
  }

  @Override
  public void whole(Connection connection, FrameHeader header, Arrival arrival) {
    switch (arrival) {
      case Send read -> read.owner().report(read);
      case Answer answer -> connection.writer().answer(answer);
      case RemoteWrite write -> remote.written(connection, header, write);
      default -> {
        if ((header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0) {
          connection.writer().acknowledge();
        }
        Peer from = connection.peer;
        if (from != null && matching != null) {
          matching.whole(from, header, arrival);
        }
      }
    }
  }

  @Override
  public void unusable(Connection connection, Arrival arrival, Throwable failed)
      throws ProtocolException {
    switch (arrival) {
      case Send read ->
          read.owner()
              .fail(
                  read,
                  NetworkErrors.of(failed),
                  "what was read cannot be kept: " + failed.getMessage());
      case RemoteWrite write -> {
        remote.drop(write);
        throw new ProtocolException("it was writing to memory: " + failed.getMessage());
      }
      default -> {
        if (matching != null) {
          matching.unusable(arrival, failed);
        }
      }
    }
  }

  @Override
  public void brokeOff(Connection connection, Arrival arrival) {
    switch (arrival) {
      case Send read ->
          read.owner()
              .fail(
                  read, Errno.ECONNRESET, "the connection is lost, and only a part has been read");
      case Answer answer -> answer.release();
      case RemoteWrite write -> remote.drop(write);
      default -> {
        if (matching != null) {
          matching.brokeOff(arrival);
        }
      }
    }
  }

  @Override
  public void dropped(Connection connection) {
    remote.dropped(connection);
    if (matching != null) {
      matching.dropped(connection);
    }
  }
}
