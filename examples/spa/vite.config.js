/** The application and the API share one origin, as they do behind a proxy in production. */
export default { server: { port: 5173, strictPort: true, proxy: { '/api/auth': 'http://127.0.0.1:8000' } } };
