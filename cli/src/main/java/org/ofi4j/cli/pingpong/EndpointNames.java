// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;

/**
 * How both sides tell each other where their endpoints are: length, format and packed address, in
 * three messages.
 *
 * <pre>
 *   0        4                8
 *   | length | address format | packed address ...
 *   | big-   | in the native  |
 *   | endian | byte order     |
 * </pre>
 */
record EndpointNames(ControlConnection control, Consumer<String> trace) {
  private static final int LONGEST_NAME = 1024;

  /** Sends that of our endpoint. */
  void send(FabricAddress name, AddressFormat format) throws IOException {
    byte[] packed = name.toBytes();
    control.send(ByteBuffer.allocate(4).putInt(packed.length).array());
    control.send(
        ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(format.number()).array());
    control.send(packed);
    trace.accept("sent our address " + name);
  }

  /** Waits for the peer's. */
  FabricAddress receive() throws IOException {
    int length = ByteBuffer.wrap(control.receive(4, "the length of its address")).getInt();
    if (length < 1 || length > LONGEST_NAME) {
      throw new IOException(
          "the other side announces an address of "
              + Integer.toUnsignedString(length)
              + " bytes: it does not speak the protocol of fi_pingpong");
    }
    int number =
        ByteBuffer.wrap(control.receive(4, "the format of its address"))
            .order(ByteOrder.nativeOrder())
            .getInt();
    byte[] packed = control.receive(length, "its address");
    AddressFormat format = AddressFormat.of(number);
    if (format == null) {
      throw new IOException("the other side has an address of the unknown format " + number);
    }
    try {
      FabricAddress address = FabricAddress.of(format, packed);
      trace.accept("received the peer's address " + address);
      return address;
    } catch (FabricException wrong) {
      throw new IOException("the other side has a wrong address: " + wrong.getMessage(), wrong);
    }
  }
}
