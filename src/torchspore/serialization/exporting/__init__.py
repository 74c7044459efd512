"""Networks traced as torch's programs, and files of torch's formats."""
