// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.ConnectionOwner;
import org.ofi4j.provider.net.connection.Trouble;
import org.ofi4j.provider.net.progress.ProgressTarget;
import org.ofi4j.provider.net.transfer.Arrival;

/** Owns connections, and does nothing with them. */
final class IdleOwner implements ConnectionOwner {
  @Override
  public void write(Connection connection) {}

  @Override
  public void resume(Connection connection, @Nullable Arrival to) {}

  @Override
  public void act(Connection connection, int ready) {}

  @Override
  public void lost(Connection connection, Throwable failed) {}

  @Override
  public void forEachOpen(Consumer<Connection> action) {}

  @Override
  public long patience() {
    return ProgressTarget.NEVER;
  }

  @Override
  public void tick() {}

  @Override
  public void close(Trouble trouble) {}
}
