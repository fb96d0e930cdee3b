package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of the frames that come over an endpoint's connections: here each operation finds
 * the class that knows what to do with it. Guarded by the lock of the endpoint.
 */
final class FrameArrivals implements FrameHandler {
  private final @Nullable Matching matching;

  /**
   * For one endpoint.
   *
   * @param matching takes messages, or null if the endpoint only sends
   */
  FrameArrivals(@Nullable Matching matching) {
    this.matching = matching;
  }

  @Override
  public @Nullable Arrival begin(Connection connection, FrameHeader header)
      throws ProtocolException {
    Peer from = connection.peer;
    Matching messages = matching;
    if (from != null && messages != null) {
      switch (header.operation()) {
        case FrameHeader.MESSAGE, FrameHeader.TAGGED -> {
          return messages.begin(connection, from, header);
        }
        default -> {
          // Refused below.
        }
      }
    }
    throw new ProtocolException("a frame came that this endpoint does not take");
  }

  @Override
  public void whole(Connection connection, FrameHeader header, Arrival arrival) {
    if ((header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0) {
      connection.writer().acknowledge();
    }
    Peer from = connection.peer;
    if (from != null && matching != null) {
      matching.whole(from, header, arrival);
    }
  }

  @Override
  public void unusable(Connection connection, Arrival arrival, Throwable failed) {
    if (matching != null) {
      matching.unusable(arrival, failed);
    }
  }

  @Override
  public void brokeOff(Connection connection, Arrival arrival) {
    if (matching != null) {
      matching.brokeOff(arrival);
    }
  }

  @Override
  public void dropped(Connection connection) {
    if (matching != null) {
      matching.dropped(connection);
    }
  }
}
