export { formatToParts } from 'intl-messageformat';
