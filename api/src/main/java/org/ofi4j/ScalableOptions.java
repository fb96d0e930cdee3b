// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * The vector, the address and the connections of a {@link ScalableEndpoint}, which all contexts
 * share: {@code fi_scalable_ep_bind} and {@code fi_setname}. Immutable; each {@code with} method
 * returns a changed copy. It throws {@link FabricException} with {@link Errno#EINVAL} for null
 * where a value is needed.
 */
public final class ScalableOptions {
  private static final ScalableOptions NONE = new ScalableOptions(new Values());

  private final Values values;

  private ScalableOptions(Values values) {
    this.values = values;
  }

  /** {@return options that say nothing} */
  public static ScalableOptions none() {
    return NONE;
  }

  /**
   * {@return options with a vector}
   *
   * @param vector the vector that handles refer to
   */
  public static ScalableOptions of(AddressVector vector) {
    return NONE.withVector(vector);
  }

  /** {@return the vector that handles refer to, or null} */
  public @Nullable AddressVector vector() {
    return values.vector;
  }

  /**
   * {@return a copy with another vector}
   *
   * @param vector the vector that handles refer to, of the same domain; an endpoint must have one
   */
  public ScalableOptions withVector(AddressVector vector) {
    Arguments.required(vector, "vector");
    return with(copy -> copy.vector = vector);
  }

  /** {@return the endpoint's address, null for the source of its information} */
  public @Nullable FabricAddress address() {
    return values.address;
  }

  /**
   * {@return a copy with another address}
   *
   * @param address the endpoint's address, in place of the source of its information: an address of
   *     this host; port 0 is any
   */
  public ScalableOptions withAddress(FabricAddress address) {
    Arguments.required(address, "address");
    return with(copy -> copy.address = address);
  }

  /** {@return the options of the endpoint's connections} */
  public ConnectionOptions connections() {
    return values.connections;
  }

  /**
   * {@return a copy with other options of connections}
   *
   * @param connections timeouts, early messages and security; the defaults if it is not called
   */
  public ScalableOptions withConnections(ConnectionOptions connections) {
    Arguments.required(connections, "connections");
    return with(copy -> copy.connections = connections);
  }

  /** {@return the endpoint's {@link FabricObject#context}} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context returned by {@link FabricObject#context}
   */
  public ScalableOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private ScalableOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new ScalableOptions(copy);
  }

  /** {@return the fields that differ from those of {@link #none}} */
  @Override
  public String toString() {
    return values.text("ScalableOptions", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private @Nullable AddressVector vector;
    private @Nullable FabricAddress address;
    private ConnectionOptions connections = ConnectionOptions.defaults();
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("vector", vector);
      to.put("address", address);
      to.put("connections", connections);
      to.put("context", context);
    }
  }
}
