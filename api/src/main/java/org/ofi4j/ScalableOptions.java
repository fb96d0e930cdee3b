// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * What a {@link ScalableEndpoint} is opened with: {@code fi_scalable_ep_bind} and {@code
 * fi_setname}. All contexts have it from there.
 *
 * @param vector what handles refer to, of the same domain; an endpoint must have one
 * @param address where the endpoint is to be, in place of the source of its information, an address
 *     of this host; port 0 is any
 * @param connections how it gets on with its connections
 * @param context what {@link FabricObject#context} says
 */
public record ScalableOptions(
    @Nullable AddressVector vector,
    @Nullable FabricAddress address,
    ConnectionOptions connections,
    @Nullable Object context) {
  private static final ScalableOptions NONE =
      new ScalableOptions(null, null, ConnectionOptions.defaults(), null);

  /** Refuses no options of connections. */
  public ScalableOptions {
    Arguments.required(connections, "connections");
  }

  /** {@return options that say nothing} */
  public static ScalableOptions none() {
    return NONE;
  }

  /**
   * {@return options with a vector}
   *
   * @param vector what handles refer to
   */
  public static ScalableOptions of(AddressVector vector) {
    return new ScalableOptions(
        Arguments.required(vector, "vector"), null, ConnectionOptions.defaults(), null);
  }

  /**
   * {@return a copy with another address}
   *
   * @param own where the endpoint is to be
   */
  public ScalableOptions withAddress(FabricAddress own) {
    return new ScalableOptions(vector, Arguments.required(own, "address"), connections, context);
  }

  /**
   * {@return a copy with other options of connections}
   *
   * @param options how it gets on with them
   */
  public ScalableOptions withConnections(ConnectionOptions options) {
    return new ScalableOptions(vector, address, options, context);
  }

  /**
   * {@return a copy with another context}
   *
   * @param value any object
   */
  public ScalableOptions withContext(@Nullable Object value) {
    return new ScalableOptions(vector, address, connections, value);
  }
}
