// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j cluster}: jobs and services in ZooKeeper, from the command line. Classes whose names
 * end with {@code Command} have the options, and name nothing of ZooKeeper or of the cluster module
 * in fields and methods: picocli looks at those, and the jars are on the class path of this command
 * alone.
 *
 * <p>Other rooms use the commands. This room uses {@code output} and {@code peers}. Read {@link
 * org.ofi4j.cli.cluster.ClusterCommand} first, then {@link org.ofi4j.cli.cluster.Connection}.
 */
package org.ofi4j.cli.cluster;
