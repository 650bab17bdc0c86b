import { createApi } from './api.mjs';

let api;
export default {
  fetch(request, settings) {
    api ??= createApi(settings);
    return api(request);
  },
};
