// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static org.ofi4j.provider.libfabric.library.StructMembers.offset;
import static org.ofi4j.provider.libfabric.library.StructMembers.struct;
import static org.ofi4j.provider.libfabric.library.StructMembers.table;
import static org.ofi4j.provider.libfabric.library.StructMembers.u64;

import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * Objects of libfabric and the tables of their functions: where each member is. A table begins with
 * its size, because later versions have longer ones; {@link NativeObject#function} looks at that.
 */
public final class ObjectStructs {
  /** All of them, for who compares them with the headers. */
  static final List<StructLayout> ALL =
      List.of(
          Fid.LAYOUT,
          FidFunctions.LAYOUT,
          Fabric.LAYOUT,
          FabricFunctions.LAYOUT,
          Domain.LAYOUT,
          DomainFunctions.LAYOUT,
          RegionFunctions.LAYOUT,
          Region.LAYOUT,
          Vector.LAYOUT,
          VectorFunctions.LAYOUT,
          Queue.LAYOUT,
          QueueFunctions.LAYOUT,
          Counter.LAYOUT,
          CounterFunctions.LAYOUT,
          Endpoint.LAYOUT,
          EndpointFunctions.LAYOUT,
          PassiveEndpoint.LAYOUT,
          ConnectionFunctions.LAYOUT,
          EventQueue.LAYOUT,
          EventQueueFunctions.LAYOUT,
          MessageFunctions.LAYOUT,
          TaggedFunctions.LAYOUT,
          RemoteFunctions.LAYOUT);

  private ObjectStructs() {}

  /** {@code struct fid}, with which every object begins. */
  public static final class Fid {
    static final StructLayout LAYOUT = struct("fid", u64("fclass"), u64("context"), u64("ops"));

    public static final long OPS = offset(LAYOUT, "ops");

    private Fid() {}
  }

  /** {@code struct fi_ops}. */
  public static final class FidFunctions {
    static final StructLayout LAYOUT = table("fi_ops", "close", "bind", "control");

    public static final long CLOSE = offset(LAYOUT, "close");
    public static final long BIND = offset(LAYOUT, "bind");
    public static final long CONTROL = offset(LAYOUT, "control");

    private FidFunctions() {}
  }

  /** {@code struct fid_fabric}; its fid has 24 bytes. */
  public static final class Fabric {
    static final StructLayout LAYOUT =
        struct("fid_fabric", u64("fid.fclass"), u64("fid.context"), u64("fid.ops"), u64("ops"));

    public static final long OPS = offset(LAYOUT, "ops");

    private Fabric() {}
  }

  /** {@code struct fi_ops_fabric}. */
  public static final class FabricFunctions {
    static final StructLayout LAYOUT =
        table("fi_ops_fabric", "domain", "passive_ep", "eq_open", "wait_open", "trywait");

    public static final long DOMAIN = offset(LAYOUT, "domain");
    public static final long PASSIVE_EP = offset(LAYOUT, "passive_ep");
    public static final long EQ_OPEN = offset(LAYOUT, "eq_open");
    public static final long TRYWAIT = offset(LAYOUT, "trywait");

    private FabricFunctions() {}
  }

  /** {@code struct fid_domain}. */
  public static final class Domain {
    static final StructLayout LAYOUT =
        struct(
            "fid_domain",
            u64("fid.fclass"),
            u64("fid.context"),
            u64("fid.ops"),
            u64("ops"),
            u64("mr"));

    public static final long OPS = offset(LAYOUT, "ops");
    public static final long MR = offset(LAYOUT, "mr");

    private Domain() {}
  }

  /** {@code struct fi_ops_domain}. */
  public static final class DomainFunctions {
    static final StructLayout LAYOUT =
        table("fi_ops_domain", "av_open", "cq_open", "endpoint", "scalable_ep", "cntr_open");

    public static final long AV_OPEN = offset(LAYOUT, "av_open");
    public static final long CQ_OPEN = offset(LAYOUT, "cq_open");
    public static final long ENDPOINT = offset(LAYOUT, "endpoint");
    public static final long CNTR_OPEN = offset(LAYOUT, "cntr_open");

    private DomainFunctions() {}
  }

  /** {@code struct fi_ops_mr}. */
  public static final class RegionFunctions {
    static final StructLayout LAYOUT = table("fi_ops_mr", "reg", "regv", "regattr");

    public static final long REGATTR = offset(LAYOUT, "regattr");

    private RegionFunctions() {}
  }

  /** {@code struct fid_mr}. */
  public static final class Region {
    static final StructLayout LAYOUT =
        struct(
            "fid_mr",
            u64("fid.fclass"),
            u64("fid.context"),
            u64("fid.ops"),
            u64("mem_desc"),
            u64("key"));

    public static final long MEM_DESC = offset(LAYOUT, "mem_desc");
    public static final long KEY = offset(LAYOUT, "key");

    private Region() {}
  }

  /** {@code struct fid_av}. */
  public static final class Vector {
    static final StructLayout LAYOUT =
        struct("fid_av", u64("fid.fclass"), u64("fid.context"), u64("fid.ops"), u64("ops"));

    public static final long OPS = offset(LAYOUT, "ops");

    private Vector() {}
  }

  /** {@code struct fi_ops_av}. */
  public static final class VectorFunctions {
    static final StructLayout LAYOUT =
        table("fi_ops_av", "insert", "insertsvc", "insertsym", "remove");

    public static final long INSERT = offset(LAYOUT, "insert");
    public static final long REMOVE = offset(LAYOUT, "remove");

    private VectorFunctions() {}
  }

  /** {@code struct fid_cq}. */
  public static final class Queue {
    static final StructLayout LAYOUT =
        struct("fid_cq", u64("fid.fclass"), u64("fid.context"), u64("fid.ops"), u64("ops"));

    public static final long OPS = offset(LAYOUT, "ops");

    private Queue() {}
  }

  /** {@code struct fi_ops_cq}. */
  public static final class QueueFunctions {
    static final StructLayout LAYOUT =
        table(
            "fi_ops_cq", "read", "readfrom", "readerr", "sread", "sreadfrom", "signal", "strerror");

    public static final long READ = offset(LAYOUT, "read");
    public static final long READFROM = offset(LAYOUT, "readfrom");
    public static final long READERR = offset(LAYOUT, "readerr");
    public static final long STRERROR = offset(LAYOUT, "strerror");

    private QueueFunctions() {}
  }

  /** {@code struct fid_cntr}. */
  public static final class Counter {
    static final StructLayout LAYOUT =
        struct("fid_cntr", u64("fid.fclass"), u64("fid.context"), u64("fid.ops"), u64("ops"));

    public static final long OPS = offset(LAYOUT, "ops");

    private Counter() {}
  }

  /** {@code struct fi_ops_cntr}. */
  public static final class CounterFunctions {
    static final StructLayout LAYOUT = table("fi_ops_cntr", "read", "readerr");

    public static final long READ = offset(LAYOUT, "read");
    public static final long READERR = offset(LAYOUT, "readerr");

    private CounterFunctions() {}
  }

  /** {@code struct fid_ep}. */
  public static final class Endpoint {
    static final StructLayout LAYOUT =
        struct(
            "fid_ep",
            u64("fid.fclass"),
            u64("fid.context"),
            u64("fid.ops"),
            u64("ops"),
            u64("cm"),
            u64("msg"),
            u64("rma"),
            u64("tagged"));

    public static final long OPS = offset(LAYOUT, "ops");
    public static final long CM = offset(LAYOUT, "cm");
    public static final long MSG = offset(LAYOUT, "msg");
    public static final long RMA = offset(LAYOUT, "rma");
    public static final long TAGGED = offset(LAYOUT, "tagged");

    private Endpoint() {}
  }

  /** {@code struct fi_ops_ep}. */
  public static final class EndpointFunctions {
    static final StructLayout LAYOUT = table("fi_ops_ep", "cancel", "getopt", "setopt");

    public static final long CANCEL = offset(LAYOUT, "cancel");
    public static final long GETOPT = offset(LAYOUT, "getopt");

    private EndpointFunctions() {}
  }

  /** {@code struct fi_ops_cm}. */
  public static final class ConnectionFunctions {
    static final StructLayout LAYOUT =
        table(
            "fi_ops_cm",
            "setname",
            "getname",
            "getpeer",
            "connect",
            "listen",
            "accept",
            "reject",
            "shutdown");

    public static final long GETNAME = offset(LAYOUT, "getname");
    public static final long GETPEER = offset(LAYOUT, "getpeer");
    public static final long CONNECT = offset(LAYOUT, "connect");
    public static final long LISTEN = offset(LAYOUT, "listen");
    public static final long ACCEPT = offset(LAYOUT, "accept");
    public static final long REJECT = offset(LAYOUT, "reject");
    public static final long SHUTDOWN = offset(LAYOUT, "shutdown");

    private ConnectionFunctions() {}
  }

  /** {@code struct fid_pep}, whose members are where {@link Endpoint} has them. */
  public static final class PassiveEndpoint {
    static final StructLayout LAYOUT =
        struct(
            "fid_pep",
            u64("fid.fclass"),
            u64("fid.context"),
            u64("fid.ops"),
            u64("ops"),
            u64("cm"));

    private PassiveEndpoint() {}
  }

  /** {@code struct fid_eq}. */
  public static final class EventQueue {
    static final StructLayout LAYOUT =
        struct("fid_eq", u64("fid.fclass"), u64("fid.context"), u64("fid.ops"), u64("ops"));

    public static final long OPS = offset(LAYOUT, "ops");

    private EventQueue() {}
  }

  /** {@code struct fi_ops_eq}. */
  public static final class EventQueueFunctions {
    static final StructLayout LAYOUT =
        table("fi_ops_eq", "read", "readerr", "write", "sread", "strerror");

    public static final long READ = offset(LAYOUT, "read");
    public static final long READERR = offset(LAYOUT, "readerr");
    public static final long STRERROR = offset(LAYOUT, "strerror");

    private EventQueueFunctions() {}
  }

  /** {@code struct fi_ops_msg}. */
  public static final class MessageFunctions {
    static final StructLayout LAYOUT =
        table(
            "fi_ops_msg",
            "recv",
            "recvv",
            "recvmsg",
            "send",
            "sendv",
            "sendmsg",
            "inject",
            "senddata",
            "injectdata");

    public static final long RECV = offset(LAYOUT, "recv");
    public static final long RECVMSG = offset(LAYOUT, "recvmsg");
    public static final long SEND = offset(LAYOUT, "send");
    public static final long SENDMSG = offset(LAYOUT, "sendmsg");

    private MessageFunctions() {}
  }

  /** {@code struct fi_ops_tagged}. */
  public static final class TaggedFunctions {
    static final StructLayout LAYOUT =
        table("fi_ops_tagged", "recv", "recvv", "recvmsg", "send", "sendv", "sendmsg", "inject");

    public static final long RECV = offset(LAYOUT, "recv");
    public static final long RECVMSG = offset(LAYOUT, "recvmsg");
    public static final long SEND = offset(LAYOUT, "send");
    public static final long SENDMSG = offset(LAYOUT, "sendmsg");

    private TaggedFunctions() {}
  }

  /** {@code struct fi_ops_rma}. */
  public static final class RemoteFunctions {
    static final StructLayout LAYOUT =
        table("fi_ops_rma", "read", "readv", "readmsg", "write", "writev", "writemsg", "inject");

    public static final long READMSG = offset(LAYOUT, "readmsg");
    public static final long WRITEMSG = offset(LAYOUT, "writemsg");

    private RemoteFunctions() {}
  }
}
