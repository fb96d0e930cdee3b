// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * One {@code struct fi_info} of libfabric's memory: hints, or an offer. It is the owner's until
 * closed, and for one thread at a time.
 *
 * <p>Sizes are unsigned in C; those beyond {@link Long#MAX_VALUE} are that here.
 */
public final class NativeInfo implements AutoCloseable {
  private final Libfabric library;
  private long address;

  private NativeInfo(Libfabric library, long address) {
    this.library = library;
    this.address = address;
  }

  /** A copy of its own; of 0 an empty one. */
  static NativeInfo copyOf(Libfabric library, long info) {
    long copy = library.dupinfo(info);
    if (copy == 0) {
      throw new FabricException(Errno.ENOMEM, "no memory for information about a fabric");
    }
    return new NativeInfo(library, copy);
  }

  /** What libfabric has handed out, to be freed by its new owner. */
  static NativeInfo given(Libfabric library, long info) {
    return new NativeInfo(library, info);
  }

  /** A copy that is closed by itself. */
  public NativeInfo copy() {
    return copyOf(library, address());
  }

  /** Where the struct is. */
  public long address() {
    if (address == 0) {
      throw new IllegalStateException("the information is closed");
    }
    return address;
  }

  @Override
  public void close() {
    if (address != 0) {
      library.freeinfo(address);
      address = 0;
    }
  }

  // The struct itself.

  public long capabilities() {
    return RawMemory.getLong(address() + Offsets.INFO_CAPS);
  }

  /** Sets what the interface can do, in all three places. */
  public void setCapabilities(long capabilities) {
    RawMemory.putLong(address() + Offsets.INFO_CAPS, capabilities);
    RawMemory.putLong(transmit() + Offsets.TX_ATTR_CAPS, 0);
    RawMemory.putLong(receive() + Offsets.RX_ATTR_CAPS, 0);
  }

  /** Takes the request for a connection out of it, which is used once; 0 if there is none. */
  long takeHandle() {
    long handle = RawMemory.getLong(address() + Offsets.INFO_HANDLE);
    RawMemory.putLong(address() + Offsets.INFO_HANDLE, 0);
    return handle;
  }

  /** What the application has to do. */
  public long mode() {
    return RawMemory.getLong(address() + Offsets.INFO_MODE);
  }

  public int addressFormat() {
    return RawMemory.getInt(address() + Offsets.INFO_ADDR_FORMAT);
  }

  /** The packed source address; null if there is none. */
  public byte @Nullable [] source() {
    return bytes(Offsets.INFO_SRC_ADDR, Offsets.INFO_SRC_ADDRLEN);
  }

  /** Sets the packed source address, or none. */
  public void setSource(byte @Nullable [] packed) {
    setBytes(Offsets.INFO_SRC_ADDR, Offsets.INFO_SRC_ADDRLEN, packed);
  }

  /** The packed destination; null if there is none. */
  public byte @Nullable [] destination() {
    return bytes(Offsets.INFO_DEST_ADDR, Offsets.INFO_DEST_ADDRLEN);
  }

  private byte @Nullable [] bytes(long pointer, long length) {
    long at = RawMemory.getLong(address() + pointer);
    return at == 0 ? null : RawMemory.bytes(at, RawMemory.getLong(address() + length));
  }

  /** Replaces the bytes of an address. */
  void setBytes(long pointer, long length, byte @Nullable [] packed) {
    long old = RawMemory.getLong(address() + pointer);
    if (old != 0) {
      CLibrary.free(old);
    }
    long at = 0;
    if (packed != null) {
      at = CLibrary.calloc(packed.length);
      RawMemory.copyIn(MemorySegment.ofArray(packed), 0, at, packed.length);
    }
    RawMemory.putLong(address() + pointer, at);
    RawMemory.putLong(address() + length, packed == null ? 0 : packed.length);
  }

  // What it points to.

  long transmit() {
    return RawMemory.getLong(address() + Offsets.INFO_TX_ATTR);
  }

  long receive() {
    return RawMemory.getLong(address() + Offsets.INFO_RX_ATTR);
  }

  long endpoint() {
    return RawMemory.getLong(address() + Offsets.INFO_EP_ATTR);
  }

  long domain() {
    return RawMemory.getLong(address() + Offsets.INFO_DOMAIN_ATTR);
  }

  /** Where {@code struct fi_fabric_attr} is. */
  long fabric() {
    return RawMemory.getLong(address() + Offsets.INFO_FABRIC_ATTR);
  }

  public String providerName() {
    return name(fabric() + Offsets.FABRIC_ATTR_PROV_NAME);
  }

  /** The number that the provider calls itself by: the major part and the minor one. */
  public String providerVersion() {
    int version = RawMemory.getInt(fabric() + Offsets.FABRIC_ATTR_PROV_VERSION);
    return (version >>> 16) + "." + (version & 0xFFFF);
  }

  public String fabricName() {
    return name(fabric() + Offsets.FABRIC_ATTR_NAME);
  }

  public String domainName() {
    return name(domain() + Offsets.DOMAIN_ATTR_NAME);
  }

  private static String name(long pointer) {
    String text = RawMemory.text(RawMemory.getLong(pointer));
    return text == null ? "" : text;
  }

  /** Who frees the information frees its names. */
  void setName(long pointer, @Nullable String name) {
    RawMemory.putLong(pointer, name == null ? 0 : CLibrary.strdup(name));
  }

  /** The number of an {@link org.ofi4j.EndpointType}. */
  public int endpointType() {
    return RawMemory.getInt(endpoint() + Offsets.EP_ATTR_TYPE);
  }

  public int protocol() {
    return RawMemory.getInt(endpoint() + Offsets.EP_ATTR_PROTOCOL);
  }

  public long maxMessageSize() {
    return size(endpoint() + Offsets.EP_ATTR_MAX_MSG_SIZE);
  }

  /** Bits of {@link org.ofi4j.MemoryRegionMode}. */
  public int memoryRegionModes() {
    return RawMemory.getInt(domain() + Offsets.DOMAIN_ATTR_MR_MODE);
  }

  public int memoryRegionKeySize() {
    return (int) size(domain() + Offsets.DOMAIN_ATTR_MR_KEY_SIZE);
  }

  /** Bytes of immediate data that messages carry. */
  public int dataSize() {
    return (int) size(domain() + Offsets.DOMAIN_ATTR_CQ_DATA_SIZE);
  }

  /** How many sends and receives may be posted at a time. */
  public void setQueueSizes(long transmits, long receives) {
    RawMemory.putLong(transmit() + Offsets.TX_ATTR_SIZE, transmits);
    RawMemory.putLong(receive() + Offsets.RX_ATTR_SIZE, receives);
  }

  public long transmitSize() {
    return size(transmit() + Offsets.TX_ATTR_SIZE);
  }

  public long remotePieces() {
    return size(transmit() + Offsets.TX_ATTR_RMA_IOV_LIMIT);
  }

  public long receiveSize() {
    return size(receive() + Offsets.RX_ATTR_SIZE);
  }

  private static long size(long member) {
    long value = RawMemory.getLong(member);
    return value < 0 ? Long.MAX_VALUE : value;
  }
}
