// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

/**
 * Offsets in objects of libfabric and in the tables of their functions. A table begins with its
 * size, because later versions have longer ones; {@link NativeObject#function} reads the size.
 */
public final class ObjectStructs {
  /** The table {@code struct fi_ops}, in the {@code struct fid} with which every object begins. */
  static final long FID_OPS = 16;

  /** The table of functions of the kind of object, behind the {@code struct fid}. */
  static final long OPS = 24;

  private ObjectStructs() {}

  /** {@code struct fi_ops}. */
  public static final class FidFunctions {
    public static final long CLOSE = 8;
    public static final long BIND = 16;
    public static final long CONTROL = 24;

    private FidFunctions() {}
  }

  /** {@code struct fi_ops_fabric}. */
  public static final class FabricFunctions {
    public static final long DOMAIN = 8;
    public static final long PASSIVE_EP = 16;
    public static final long EQ_OPEN = 24;
    public static final long TRYWAIT = 40;

    private FabricFunctions() {}
  }

  /** {@code struct fid_domain}. */
  public static final class Domain {
    public static final long MR = 32;

    private Domain() {}
  }

  /** {@code struct fi_ops_domain}. */
  public static final class DomainFunctions {
    public static final long AV_OPEN = 8;
    public static final long CQ_OPEN = 16;
    public static final long ENDPOINT = 24;
    public static final long CNTR_OPEN = 40;

    private DomainFunctions() {}
  }

  /** {@code struct fi_ops_mr}. */
  public static final class RegionFunctions {
    public static final long REGATTR = 24;

    private RegionFunctions() {}
  }

  /** {@code struct fid_mr}. */
  public static final class Region {
    public static final long MEM_DESC = 24;
    public static final long KEY = 32;

    private Region() {}
  }

  /** {@code struct fi_ops_av}. */
  public static final class VectorFunctions {
    public static final long INSERT = 8;
    public static final long REMOVE = 32;

    private VectorFunctions() {}
  }

  /** {@code struct fi_ops_cq}. */
  public static final class QueueFunctions {
    public static final long READ = 8;
    public static final long READFROM = 16;
    public static final long READERR = 24;
    public static final long STRERROR = 56;

    private QueueFunctions() {}
  }

  /** {@code struct fi_ops_cntr}. */
  public static final class CounterFunctions {
    public static final long READ = 8;
    public static final long READERR = 16;

    private CounterFunctions() {}
  }

  /** {@code struct fid_ep}; the first members are those of {@code struct fid_pep}, too. */
  public static final class Endpoint {
    public static final long OPS = 24;
    public static final long CM = 32;
    public static final long MSG = 40;
    public static final long RMA = 48;
    public static final long TAGGED = 56;

    private Endpoint() {}
  }

  /** {@code struct fi_ops_ep}. */
  public static final class EndpointFunctions {
    public static final long CANCEL = 8;
    public static final long GETOPT = 16;

    private EndpointFunctions() {}
  }

  /** {@code struct fi_ops_cm}. */
  public static final class ConnectionFunctions {
    public static final long GETNAME = 16;
    public static final long GETPEER = 24;
    public static final long CONNECT = 32;
    public static final long LISTEN = 40;
    public static final long ACCEPT = 48;
    public static final long REJECT = 56;
    public static final long SHUTDOWN = 64;

    private ConnectionFunctions() {}
  }

  /** {@code struct fi_ops_eq}. */
  public static final class EventQueueFunctions {
    public static final long READ = 8;
    public static final long READERR = 16;
    public static final long STRERROR = 40;

    private EventQueueFunctions() {}
  }

  /** {@code struct fi_ops_msg}. */
  public static final class MessageFunctions {
    public static final long RECV = 8;
    public static final long RECVMSG = 24;
    public static final long SEND = 32;
    public static final long SENDMSG = 48;

    private MessageFunctions() {}
  }

  /** {@code struct fi_ops_tagged}. */
  public static final class TaggedFunctions {
    public static final long RECV = 8;
    public static final long RECVMSG = 24;
    public static final long SEND = 32;
    public static final long SENDMSG = 48;

    private TaggedFunctions() {}
  }

  /** {@code struct fi_ops_rma}. */
  public static final class RemoteFunctions {
    public static final long READMSG = 24;
    public static final long WRITEMSG = 48;

    private RemoteFunctions() {}
  }
}
