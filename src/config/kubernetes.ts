/** Host and ports of a service, and each port again by number and protocol. */
const names = /^SVC_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const portName = /^SVC_(\w+_)?PORT$/;
const portValue = /^(tcp|udp|sctp):\/\/[\da-f.:[\]]+:\d+$/i;

/**
 * Returns whether Kubernetes set this environment variable for a service named `svc` or `svc-…`. It does so in every
 * container of the namespace; such variables are not configuration.
 */
export function isOfKubernetes(name: string, value: string): boolean {
  return names.test(name) || (portName.test(name) && portValue.test(value));
}
