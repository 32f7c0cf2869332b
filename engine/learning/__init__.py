"""Teaching and evidence: the lessons, the failure atlas, planted defects and what was measured of them."""
