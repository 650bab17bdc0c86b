// The names of this module in the version before; a host's own template may load it.
export {
  createPasskey,
  getPasskey as usePasskey,
  hasPasskeys,
  offersPasskeys as offersByAutofill,
} from '../src/client/core.ts';
