import adapter from '@sveltejs/adapter-node';
import { sveltekit } from '@sveltejs/kit/vite';

// SvelteKit's own check would also refuse programs, which send no Origin. Guards with `browser` refuse forms of other sites.
const csrf = { trustedOrigins: ['*'] };

export default { plugins: [sveltekit({ adapter: adapter(), csrf })] };
