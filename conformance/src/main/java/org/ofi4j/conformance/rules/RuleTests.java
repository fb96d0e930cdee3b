// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import java.util.List;

/** All classes of tests, in the order of the man page. */
public final class RuleTests {
  private RuleTests() {}

  public static List<Class<?>> classes() {
    return List.of(
        GeneralModelTests.class,
        ArgumentTests.class,
        OpenTests.class,
        TypeTests.class,
        ReceiveContextBitsTests.class,
        CountHintTests.class,
        EndpointsPerNodeTests.class,
        NameTests.class,
        SharedVectorTests.class,
        OpenFlagTests.class,
        AsynchronousInsertTests.class,
        AsynchronousOrderTests.class,
        FailurePositionTests.class,
        CloseTests.class,
        MemoryTests.class,
        BindTests.class,
        InsertTests.class,
        InsertFlagTests.class,
        ServiceTests.class,
        SymmetricTests.class,
        RemoveTests.class,
        LookupTests.class,
        HandleTests.class,
        TextTests.class,
        ParserTests.class,
        UserIdTests.class,
        AuthKeyTests.class,
        SetTests.class,
        NoteTests.class,
        TrafficTests.class,
        SharedTrafficTests.class,
        SharedKeyTests.class,
        DirectedReceiveTests.class,
        GroupTests.class,
        AuthKeyTrafficTests.class,
        AuthKeyRemovalTests.class,
        DistantPeerTests.class,
        ReliableUserIdTests.class,
        ReturnTests.class,
        EndpointTests.class,
        EventQueueTests.class,
        ExtensionTests.class,
        UpstreamUnitTests.class,
        UpstreamTrafficTests.class,
        KnownDefectTests.class,
        HistoricDefectTests.class,
        HistoricTrafficTests.class,
        SourceTests.class,
        ConcurrencyTests.class,
        ConnectedEndpointTests.class,
        ScalableEndpointTests.class,
        RandomModelTests.class);
  }
}
