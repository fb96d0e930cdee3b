// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.ofi4j.provider.net.IdleTarget;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.FrameMover;
import org.ofi4j.provider.net.connection.Readiness;
import org.ofi4j.provider.net.connection.Trouble;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;

/** Owns connections, and does nothing with them. */
class IdleOwner extends Connection.Owner {
  IdleOwner() {
    super(
        new FrameMover(
            new Readiness(new IdleTarget() {}, null), new Staging.Pool(), false, System::nanoTime),
        new Security(null, new Staging.Pool()));
  }

  @Override
  protected FrameHandler handler(Connection connection) {
    throw new IllegalStateException("nothing comes over its connections");
  }

  @Override
  protected void proceed(Connection connection, int ready) {}

  @Override
  protected void ended(Connection connection, Throwable failed) {}

  @Override
  protected void tick(long now) {}

  @Override
  public void close(Trouble trouble) {}
}
