// The pages. Each finds its own part here by `data-page` of the body.
import './forms.js';
