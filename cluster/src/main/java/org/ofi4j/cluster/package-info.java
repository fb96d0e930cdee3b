// SPDX-License-Identifier: Apache-2.0
/**
 * The members of a job or of a service, from Apache ZooKeeper into an address vector. Begin with
 * {@link org.ofi4j.cluster.Cluster}.
 *
 * <p>Inside, {@link org.ofi4j.cluster.HostProcess} publishes the members of this process, {@link
 * org.ofi4j.cluster.GroupWatch} looks at those of all, {@link org.ofi4j.cluster.Roster} says which
 * member has a name, and a {@link org.ofi4j.cluster.GroupWatch.MemberTable} brings them into a
 * vector. What stands in the tree is drawn in {@link org.ofi4j.cluster.HostRecord} and {@link
 * org.ofi4j.cluster.GroupRecord}. What processes of a node that fill one vector do together begins
 * with {@link org.ofi4j.cluster.NodeTable}.
 */
@org.jspecify.annotations.NullMarked
package org.ofi4j.cluster;
